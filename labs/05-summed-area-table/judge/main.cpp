// SPDX-License-Identifier: MIT
// Which tests judge which rung of 05-summed-area-table, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  // 512 x 512 pixels: 4 x 4 tiles of 128 x 128.
  const judge::WorkloadPlan look_back = {.make = lab_judge::table_workload,
                                         .look_back_items = std::size_t{1} << 18};
  return judge::run(
      argc, argv,
      {.default_suite = "SummedAreaTable",
       .workload = {.make = lab_judge::table_workload},
       .suites = {{"03b_two_look_backs", "SummedAreaTable", look_back},
                  {"04_single_pass", "SummedAreaTable", look_back},
                  {"05_box_filter", "BoxFilter", {.make = lab_judge::box_filter_workload}},
                  {"06_depth_of_field",
                   "DepthOfField",
                   {.make = judge::kOnGpu ? nullptr : lab_judge::depth_of_field_workload}}}});
}
