// SPDX-License-Identifier: MIT
// The judge of 07-scheduling: which tests judge which rung. The tests are in the files beside it.
#include "judge.h"

int main(int argc, char** argv) {
  return judge::run(argc, argv,
                    {.default_suite = "",
                     .suites = {{"01_residency", "ResidencyOf"},
                                {"02_latency_hiding", "LatencyHiding"},
                                {"03_block_distribution", "Distributing"},
                                {"04_warp_scheduler", "WarpScheduler"}}});
}
