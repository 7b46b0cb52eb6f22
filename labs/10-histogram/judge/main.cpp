// SPDX-License-Identifier: MIT
// Which tests judge which rung of 10-histogram, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  const judge::WorkloadPlan too_many_bins = {.make = lab_judge::samples_of_too_many_bins,
                                             .budget_items = std::size_t{1} << 21};
  constexpr std::size_t kCounted = std::size_t{1} << 18;  // many samples per bin and block
  return judge::run(
      argc, argv,
      {.default_suite = "Histogram",
       .workload = {.make = lab_judge::uniform_samples, .budget_items = kCounted},
       .suites = {{"01_global_atomics",  // an eighth of the samples: all of them take long
                   "Histogram",
                   {.make = lab_judge::uniform_samples, .speed_items = std::size_t{1} << 25}},
                  {"03_replicas",
                   "Histogram",
                   {.make = lab_judge::both_samples,  // half of the calls uniform, half skewed
                    .make_counted = lab_judge::skewed_samples,
                    .budget_items = kCounted}},
                  {"04_aggregated",
                   "Histogram",
                   {.make = lab_judge::skewed_samples_of_many_bins, .budget_items = kCounted}},
                  {"05_bin_ranges", "Histogram.*:ManyBins", too_many_bins},  // both suites
                  {"06_cluster", "Histogram.*:ManyBins", too_many_bins}}});
}
