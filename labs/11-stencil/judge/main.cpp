// SPDX-License-Identifier: MIT
// What is measured of each rung of 11-stencil. One suite judges all of them.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  const auto of_volume = [](judge::Workload (*make)(std::size_t num_items)) {
    return judge::WorkloadPlan{.make = make,
                               .speed_items = std::size_t{1} << 27,  // 512 points each way
                               .budget_items = std::size_t{1} << 19};
  };
  return judge::run(argc, argv,
                    {.default_suite = "Stencil",
                     .workload = {.make = lab_judge::line},
                     .suites = {{"03_two_dimensions", "Stencil", {.make = lab_judge::picture}},
                                {"04_separable", "Stencil", {.make = lab_judge::separable}},
                                {"05_sliding", "Stencil", of_volume(lab_judge::volume)},
                                {"06_vectors", "Stencil", of_volume(lab_judge::volume)},
                                {"07_temporal", "Stencil", of_volume(lab_judge::volume_twice)}}});
}
