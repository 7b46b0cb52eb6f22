// SPDX-License-Identifier: MIT
// How many blocks of a kernel are resident on an SM at a time, and what limits their number.
// A limit is a division: what the SM has, rounded down, by what a block takes, rounded up.
// Source: NVIDIA's occupancy calculator.
#include <climits>

#include "scheduling.cuh"

namespace lab {
namespace {

int divide_up(int items, int unit) { return (items + unit - 1) / unit; }

// The next multiple of `unit`.
int round_up(int items, int unit) { return divide_up(items, unit) * unit; }

// Each function: how many blocks would fit if nothing else counted.

int limit_of_threads(const SmLimits& sm, const KernelResources& kernel, int warps_per_block) {
  if (kernel.threads_per_block > sm.max_threads_per_block) return 0;
  return sm.max_warps / warps_per_block;
}

int limit_of_registers(const SmLimits& sm, const KernelResources& kernel, int warps_per_block) {
  if (kernel.registers_per_thread > sm.max_registers_per_thread) return 0;
  const int per_warp = kWarpSize * kernel.registers_per_thread;
  if (sm.register_owner == RegisterOwner::kBlock) {
    const int per_block = round_up(warps_per_block, sm.warp_unit) * per_warp;
    return sm.num_registers / round_up(per_block, sm.register_unit);
  }
  // No warp has registers of two partitions: what is left over in each stays unused.
  const int per_partition = sm.num_registers / sm.warp_unit;
  const int num_warps = sm.warp_unit * (per_partition / round_up(per_warp, sm.register_unit));
  return num_warps / warps_per_block;
}

int limit_of_shared_memory(const SmLimits& sm, const KernelResources& kernel) {
  if (kernel.shared_bytes_per_block > sm.max_shared_bytes_per_block) return 0;
  const int per_block =
      round_up(kernel.shared_bytes_per_block + sm.reserved_shared_bytes, sm.shared_unit);
  return per_block == 0 ? INT_MAX : sm.shared_bytes / per_block;
}

}  // namespace

Residency residency(const SmLimits& sm, const KernelResources& kernel) {
  const int warps_per_block = divide_up(kernel.threads_per_block, kWarpSize);

  // In the order of the enum, with <: the first of equal limits stays.
  int num_blocks = limit_of_threads(sm, kernel, warps_per_block);
  Limiter limiter = Limiter::kThreads;
  const auto tighten = [&](int limit, Limiter by) {
    if (limit >= num_blocks) return;
    num_blocks = limit;
    limiter = by;
  };
  tighten(sm.max_blocks, Limiter::kBlocks);
  tighten(limit_of_registers(sm, kernel, warps_per_block), Limiter::kRegisters);
  tighten(limit_of_shared_memory(sm, kernel), Limiter::kSharedMemory);

  const int num_warps = num_blocks * warps_per_block;
  return {num_blocks, num_warps, limiter, static_cast<double>(num_warps) / sm.max_warps};
}

}  // namespace lab
