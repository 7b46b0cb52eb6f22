// SPDX-License-Identifier: MIT
// How many warps it takes to keep an SM, or a memory, busy while each of them waits.
// Now the resident warps of 01 have a purpose; whether there are enough of them is a division.
// Source: J. Little, "A proof for the queuing formula L = lambda W", 1961.
#include <algorithm>
#include <cstdint>

#include "scheduling.cuh"

namespace lab {
namespace {

template <class Integer>
Integer divide_up(Integer items, Integer unit) {
  return (items + unit - 1) / unit;
}

// Cycles for which one warp issues before it has to wait.
int busy_cycles(int num_lanes, int num_independent) {
  return num_independent * divide_up(kWarpSize, num_lanes);
}

}  // namespace

int warps_to_cover(int num_lanes, int num_independent, int latency_cycles) {
  return divide_up(latency_cycles, busy_cycles(num_lanes, num_independent));
}

int warps_to_fill_memory(int gigabytes_per_second, int latency_ns, int num_sms, int bytes_per_load,
                         int loads_per_thread) {
  // 10^9 bytes per second are one byte per ns. 64 bits: 4800 GB/s over 700 ns still fit an int,
  // but not every product does.
  const std::int64_t bytes_under_way = std::int64_t{gigabytes_per_second} * latency_ns;
  const std::int64_t bytes_per_warp = std::int64_t{kWarpSize} * bytes_per_load * loads_per_thread;
  return static_cast<int>(divide_up(bytes_under_way, num_sms * bytes_per_warp));
}

double utilization(int num_lanes, int num_independent, int latency_cycles, int num_warps) {
  // A warp's round: it issues, then it waits, and `num_warps` of them share the time.
  const int busy = busy_cycles(num_lanes, num_independent);
  return std::min(1.0, static_cast<double>(num_warps) * busy / (busy + latency_cycles));
}

}  // namespace lab
