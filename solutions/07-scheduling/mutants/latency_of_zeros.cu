// SPDX-License-Identifier: MIT
// mutant of: 02_latency_hiding
// mistake: trivial: zeros
// expect: failed wrong_result
#include "scheduling.cuh"

namespace lab {

int warps_to_cover(int /*num_lanes*/, int /*num_independent*/, int /*latency_cycles*/) { return 0; }

int warps_to_fill_memory(int /*gigabytes_per_second*/, int /*latency_ns*/, int /*num_sms*/,
                         int /*bytes_per_load*/, int /*loads_per_thread*/) {
  return 0;
}

double utilization(int /*num_lanes*/, int /*num_independent*/, int /*latency_cycles*/,
                   int /*num_warps*/) {
  return 0;
}

}  // namespace lab
