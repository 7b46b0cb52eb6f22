// SPDX-License-Identifier: MIT
// Which tests judge which rung of 03-compaction, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  // 16 tiles of 32 Ki items, the largest that registers hold: one for each multiprocessor.
  const judge::WorkloadPlan look_back = {.make = lab_judge::compact_workload,
                                         .look_back_items = std::size_t{1} << 19};
  const judge::WorkloadPlan large_tiles = {.make = lab_judge::compact_workload,
                                           .budget_items = std::size_t{1} << 19,
                                           .look_back_items = std::size_t{1} << 19};
  return judge::run(
      argc, argv,
      {.default_suite = "Compact",
       .workload = {.make = lab_judge::compact_workload},
       .suites = {{"02b_look_back", "Compact", look_back},
                  {"02c_four_per_lane", "Compact", look_back},
                  {"03_single_pass", "Compact", large_tiles},
                  {"04_partition", "Partition", {.make = lab_judge::partition_workload}},
                  {"05_warp_aggregated", "Unordered", {.make = lab_judge::unordered_workload}},
                  // CUB's blocks take their tiles by their numbers, in the order in which a GPU
                  // starts them.
                  {"06_library",
                   "Partition.*:Compact",
                   {.make = lab_judge::compact_workload},
                   "*.DependsOnNoOrder*"}}});
}
