// SPDX-License-Identifier: MIT
// The judge of 07-scheduling: which tests judge which rung. The tests are in the files beside it.
#include "judge.h"
#include "kernels_workload.h"

int main(int argc, char** argv) {
  using scheduling_test::curves_workload;
  using scheduling_test::points_workload;
  using scheduling_test::softmax_workload;
  return judge::run(argc, argv,
                    {.default_suite = "",
                     .suites = {{"01_residency", "ResidencyOf"},
                                {"02_latency_hiding", "LatencyHiding"},
                                {"03_block_distribution", "Distributing"},
                                {"04_warp_scheduler", "WarpScheduler"},
                                {"05_divergence", "Divergence", {.make = curves_workload}},
                                {"06_barrier", "Barrier"},
                                {"07_coalescing",
                                 "Coalescing",
                                 {.make = points_workload, .speed_items = std::size_t{1} << 26}},
                                {"08_softmax", "Softmax", {.make = softmax_workload}}}});
}
