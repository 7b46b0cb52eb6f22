// SPDX-License-Identifier: MIT
// Which tests judge which rung of 04-radix-sort, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  constexpr std::size_t kFewer = std::size_t{1} << 26;  // for rungs that take 0.1 s for 2^28 keys
  // 8 tiles of 8 Ki keys, the largest that 48 KiB hold.
  const judge::WorkloadPlan look_back = {.make = lab_judge::sort_workload,
                                         .budget_items = std::size_t{1} << 15,
                                         .look_back_items = std::size_t{1} << 16};
  return judge::run(
      argc, argv,
      {.default_suite = "RadixSort",
       .workload = {.make = lab_judge::sort_workload, .budget_items = 1 << 15},
       .suites = {
           {"01_split",
            "Split",
            {.make = lab_judge::sort_workload, .speed_items = kFewer, .budget_items = 1 << 12}},
           {"02_tile_sort",
            "SortTiles",
            {.make = lab_judge::tiles_workload, .budget_items = 1 << 14}},
           {"03_bitonic_merge",
            "RadixSort",
            {.make = lab_judge::sort_workload, .speed_items = kFewer, .budget_items = 1 << 15}},
           {"04c_look_back_by_digit", "RadixSort", look_back},
           {"04d_count_first", "RadixSort", look_back},
           {"05_onesweep", "RadixSort", look_back},
           {"05b_key_types",
            "KeyTypes",
            {.make = lab_judge::bits_workload, .budget_items = 1 << 15}},
           {"06_pairs_and_types",
            "PairsAndTypes",
            {.make = lab_judge::pairs_workload, .budget_items = 1 << 15}},
           {"07_library",  // a filter: all of the last suite, and what else it defines
            "KeyTypes.SortsByRangesOfBits:PairsAndTypes.SortsPairs:PairsAndTypes.KeepsTheOrder*:"
            "RadixSort",
            {.make = lab_judge::sort_workload, .budget_items = 1 << 15}}}});
}
