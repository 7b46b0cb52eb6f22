// SPDX-License-Identifier: MIT
// How many warps it takes to keep an SM, or a memory, busy while each of them waits.
// Now the resident warps of 01 have a purpose; whether there are enough of them is a division.
#include <algorithm>

#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {

int warps_to_cover(int num_lanes, int num_independent, int latency_cycles) {
  todo("02_latency_hiding: write all three functions, then delete these lines");

  // TODO 1. 8 lanes and 32 threads: how many cycles does one instruction of a warp take? And with
  //         12 lanes?
  const int cycles_per_instruction = kWarpSize / num_lanes;
  // TODO 2. For how many cycles can a warp issue before it has to wait? How many such pieces fill
  //         200 cycles? 12.5 warps are how many?
  return latency_cycles / (num_independent * cycles_per_instruction);
}

int warps_to_fill_memory(int gigabytes_per_second, int latency_ns, int num_sms, int bytes_per_load,
                         int loads_per_thread) {
  todo("02_latency_hiding: write all three functions, then delete these lines");

  // TODO 3. How many bytes are in flight? Do they always fit an int?
  // TODO 4. How many of them are one warp's? Divide by the bytes of one warp on each SM, and round
  //         in the right direction, once.
  return gigabytes_per_second * latency_ns / (num_sms * bytes_per_load * loads_per_thread);
}

double utilization(int num_lanes, int num_independent, int latency_cycles, int num_warps) {
  todo("02_latency_hiding: write all three functions, then delete these lines");

  // TODO 5. One warp alone: it issues for some cycles, then waits. Which share of its time does it
  //         issue? And several warps? When is there no time left to fill?
  return static_cast<double>(num_lanes * num_independent * latency_cycles * num_warps);
}

}  // namespace lab
