// SPDX-License-Identifier: MIT
// Which tests judge which rung of 04-radix-sort, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "RadixSort",
       .workload = {.make = lab_judge::sort_workload, .budget_items = 1 << 15},
       .suites = {
           {"01_split", "Split", {.make = lab_judge::sort_workload, .budget_items = 1 << 12}},
           {"02_tile_sort",
            "SortTiles",
            {.make = lab_judge::tiles_workload, .budget_items = 1 << 14}},
           {"05b_key_types",
            "KeyTypes",
            {.make = lab_judge::bits_workload, .budget_items = 1 << 15}},
           {"06_pairs_and_types",
            "PairsAndTypes",
            {.make = lab_judge::pairs_workload, .budget_items = 1 << 15}}}});
}
