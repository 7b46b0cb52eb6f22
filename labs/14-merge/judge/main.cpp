// SPDX-License-Identifier: MIT
// Which tests judge which rung of 14-merge, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "Merge",
       .workload = {.make = lab_judge::merging},
       .suites = {{"01_rank",  // an eighth of the items: a search that walks takes long
                   "Merge",
                   {.make = lab_judge::merging, .budget_items = std::size_t{1} << 13}},
                  {"04_tile_sort", "Sort", {.make = lab_judge::sorting_tiles}},
                  {"05_sort", "Sort", {.make = lab_judge::sorting}}}});
}
