// SPDX-License-Identifier: MIT
// Which tests judge which rung of 03-compaction, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "Compact",
       .workload = {.make = lab_judge::compact_workload},
       .suites = {{"03_single_pass", "Compact", {.make = lab_judge::look_back_workload}},
                  {"04_partition", "Partition", {.make = lab_judge::partition_workload}},
                  {"05_warp_aggregated", "Unordered", {.make = lab_judge::unordered_workload}}}});
}
