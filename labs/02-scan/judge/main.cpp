// SPDX-License-Identifier: MIT
// Which tests judge which rung of 02-scan, and what is measured.
#include "judge.h"
#include "scan.cuh"
#include "workload.h"

int main(int argc, char** argv) {
  // One block and short arrays: on a GPU, only the launch could be measured.
  const judge::WorkloadPlan counted = {
      .make = judge::kOnGpu ? nullptr : lab_judge::exclusive_workload,
      .budget_items = lab::kMaxItemsInOneBlock};
  const judge::WorkloadPlan two_tiles = {.make = counted.make,
                                         .budget_items = lab::kMaxItemsInTwoBlocks};
  const judge::WorkloadPlan large_tiles = {.make = lab_judge::exclusive_workload,
                                           .budget_items = std::size_t{1} << 19,
                                           .look_back_items = std::size_t{1} << 19};
  return judge::run(
      argc, argv,
      {.default_suite = "ExclusiveScan",
       .workload = {.make = lab_judge::exclusive_workload, .budget_items = std::size_t{1} << 17},
       .suites = {{"01_one_thread_per_output", "ExclusiveScan", counted},
                  {"02_hillis_steele", "OneBlockScan", counted},
                  {"03_blelloch", "OneBlockScan.*:UpSweep", counted},  // a filter: both suites
                  {"04_conflict_free", "OneBlockScan", counted},
                  {"05a_two_blocks", "TwoBlockScan", two_tiles},
                  {"05b_one_thread_look_back",
                   "ExclusiveScan",
                   {.make = lab_judge::exclusive_workload,
                    .budget_items = std::size_t{1} << 17,
                    .look_back_items = std::size_t{1} << 19}},
                  // 16 tiles of 32 Ki items, the largest that registers hold: a thread that looks
                  // back makes 15 loads. A warp makes 6, even with tiles of 2 Ki items.
                  {"05c_items_in_registers", "ExclusiveScan", large_tiles},
                  {"06_decoupled_look_back", "ExclusiveScan", large_tiles},
                  {"07_conversions",
                   "Conversions",
                   {.make = lab_judge::inclusive_workload, .budget_items = std::size_t{1} << 17}},
                  // CUB's blocks take their tiles by their numbers, in the order in which a GPU
                  // starts them.
                  {"08_library",
                   "Conversions.ScanUnder*:ExclusiveScan",
                   {.make = lab_judge::exclusive_workload, .budget_items = std::size_t{1} << 17},
                   "ExclusiveScan.DependsOnNoOrder*"}}});
}
