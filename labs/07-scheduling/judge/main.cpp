// SPDX-License-Identifier: MIT
// Which tests judge which rung of 07-scheduling, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "",
       .suites = {
           {"01_residency", "ResidencyOf"},
           {"02_latency_hiding", "LatencyHiding"},
           {"03_block_distribution", "Distributing"},
           {"04_warp_scheduler", "WarpScheduler"},
           {"05_divergence", "Divergence", {.make = lab_judge::curves_workload}},
           {"06_barrier", "Barrier", {.make = judge::kOnGpu ? nullptr : lab_judge::runs_workload}},
           {"07_coalescing",
            "Coalescing",
            {.make = lab_judge::points_workload, .speed_items = std::size_t{1} << 26}},
           {"07b_softmax_rows",
            "PlanRows.*:Softmax",  // a filter: both suites
            {.make = lab_judge::long_rows_workload}},
           {"07c_online_softmax", "Softmax", {.make = lab_judge::long_rows_workload}},
           {"07d_register_rows", "Softmax", {.make = lab_judge::short_rows_workload}},
           {"08_softmax", "Softmax", {.make = lab_judge::short_rows_workload}}}});
}
