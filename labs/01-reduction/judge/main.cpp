// SPDX-License-Identifier: MIT
// Which tests judge which rung of 01-reduction, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "ReduceSum",
       .workload = {.make = lab_judge::sum_workload},
       .suites = {{"01_global_atomic",  // one addition after the other: 60 ms for these alone
                   "ReduceSum",
                   {.make = lab_judge::sum_workload, .speed_items = std::size_t{1} << 25}},
                  // Twice the items that 2048 threads of each multiprocessor read with two loads.
                  {"04_grid_stride",
                   "ReduceSum",
                   {.make = lab_judge::sum_workload, .budget_items = std::size_t{1} << 17}},
                  {"07_operators", "Operators", {.make = lab_judge::mean_workload}},
                  {"08_library",  // a filter: all of the last suite, and what else it defines
                   "Operators.FindsTheLargest:Operators.SkipsNotANumberInMax:"
                   "Operators.MultipliesAndAddsTwoArrays:Operators.DependOn*:ReduceSum",
                   {.make = lab_judge::sum_workload}}}});
}
