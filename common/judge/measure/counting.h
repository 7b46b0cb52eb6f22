// SPDX-License-Identifier: MIT
// Counts one call of a workload, for the budget test and for profiles. On cuda nothing is counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/measures.h"
#include "measure/workload.h"

namespace judge {

struct CountResult {
  double num_items = 0;            // what "per item" means: not always the size of the workload
  std::optional<Failure> failure;  // the call failed or its outputs are wrong: nothing is measured
  std::vector<wire::Finding> findings;
  std::vector<wire::KernelCounters> kernels;
  std::vector<Measure> measures;
};

// Runs the session's submission over fresh data: once, and once more where a look-back is counted.
CountResult count(const Workload& workload);

// Writes the result as test properties: each measure by name, `counters`, `places`. Fails the
// running test only if the call failed: the grader scores the measures.
void record_counts(const CountResult& result);

// One line of a profile.
std::string to_json(const CountResult& result, std::size_t num_items);

}  // namespace judge
