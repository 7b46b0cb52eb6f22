// SPDX-License-Identifier: MIT
// Which tests judge which rung of 13-sparse, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  constexpr std::size_t kTimed = std::size_t{1} << 25;  // nonzeros, or edges
  const auto of_rows_alike = [](judge::Workload (*counted)(std::size_t num_nonzeros)) {
    return judge::WorkloadPlan{
        .make = lab_judge::rows_alike, .make_counted = counted, .speed_items = kTimed};
  };
  const auto of_graph = [](judge::Workload (*counted)(std::size_t num_edges)) {
    return judge::WorkloadPlan{.make = lab_judge::skewed_graph,
                               .make_counted = counted,
                               .speed_items = kTimed,
                               .budget_items = std::size_t{1} << 15};
  };
  return judge::run(
      argc, argv,
      {.default_suite = "Product",
       .workload = of_rows_alike(lab_judge::banded_rows),
       .suites = {
           {"02_lanes_per_row", "Product", of_rows_alike(lab_judge::short_banded_rows)},
           {"03_merge_path", "Product", {.make = lab_judge::one_long_row, .speed_items = kTimed}},
           {"04_breadth_first", "Search", of_graph(lab_judge::skewed_graph)},
           {"05_direction", "Search", of_graph(lab_judge::random_graph)}}});
}
