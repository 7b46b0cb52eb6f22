// SPDX-License-Identifier: MIT
// Which tests judge which rung of 05-summed-area-table, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "SummedAreaTable",
       .workload = {.make = lab_judge::table_workload},
       .suites = {{"05_box_filter", "BoxFilter", {.make = lab_judge::box_filter_workload}},
                  {"06_depth_of_field", "DepthOfField"}}});
}
