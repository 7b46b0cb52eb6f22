// SPDX-License-Identifier: MIT
// How many blocks of a kernel are resident on an SM at a time, and what limits their number.
// A warp can only hide the latency of another one if both are there: begin here. No kernel in this
// rung: plain C++.
#include <algorithm>

#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

int divide_up(int items, int unit) { return (items + unit - 1) / unit; }

// The next multiple of `unit`.
int round_up(int items, int unit) { return divide_up(items, unit) * unit; }

}  // namespace

Residency residency(const SmLimits& sm, const KernelResources& kernel) {
  todo("01_residency: find the limits, then delete this line");

  // TODO 1. How many warps has a block? 33 threads take the room of how many?
  const int warps_per_block = kernel.threads_per_block / kWarpSize;
  // TODO 2. How many blocks would fit if warps were all that counted? 0, if one block alone has
  //         more threads than a block may have.
  const int by_threads = sm.max_warps / warps_per_block;
  // TODO 3. The same for registers. Are they for a block or for each warp, and in which units?
  //         Where do you round up, where down?
  const int by_registers =
      sm.num_registers / round_up(kernel.registers_per_thread, sm.register_unit);
  // TODO 4. The same for shared memory. What if a block takes none at all?
  const int by_shared_memory = sm.shared_bytes / kernel.shared_bytes_per_block;
  // TODO 5. The smallest of the four; among equals the first in the order of the enum.
  const int num_blocks = std::min({by_threads, sm.max_blocks, by_registers, by_shared_memory});
  // TODO 6. What is 24 / 64 in C++?
  const int num_warps = num_blocks * warps_per_block;
  return {num_blocks, num_warps, Limiter::kThreads, 0.0};
}

}  // namespace lab
