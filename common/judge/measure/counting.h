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
  double look_back_items = 0;      // of the call in which look-backs are counted, if there is one
  std::optional<Failure> failure;  // the call failed or its outputs are wrong: nothing is measured
  std::optional<Failure> other_launches;  // that call launches other kernels
  std::vector<wire::Finding> findings;
  std::vector<wire::KernelCounters> kernels;
  std::string timeline;  // see Outcome
  std::vector<wire::Shape> shapes;
  std::vector<Measure> measures;
  std::string function;  // of the workload
  std::string limit;     // of it, too, and what a call at the limit moves and computes
  double limit_bytes = 0;
  double limit_flops = 0;
  double sequential_ms = 0;  // of a sequential run on this host; 0: it was not timed
};

// Runs the session's submission over fresh data of num_items: once, and once more, over the plan's
// look_back_items, if it has any.
CountResult count(const WorkloadPlan& plan, std::size_t num_items);

// The same, in one run of the call that is timed on cuda. Without a GPU the host's sequential run
// is timed, too: a predicted time is compared with it.
CountResult count_timed(const WorkloadPlan& plan, std::size_t num_items);

// Writes the result as test properties: each measure by name, `counters`, `places`. Fails the
// running test only if a call failed, or if two calls launch different kernels: the grader scores
// the measures.
void record_counts(const CountResult& result);

// One line of a profile.
std::string to_json(const CountResult& result, std::size_t num_items);

}  // namespace judge
