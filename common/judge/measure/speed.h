// SPDX-License-Identifier: MIT
// Speed as a share of this device's own limit. Every contender (the submission, the device's limit,
// the library, the lab's first rung, the reference solution) runs in a worker of its own, over the
// same fresh data, in interleaved rounds. The result is the median of the per-round ratios, in
// which machine noise cancels. The judge keeps the clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/workload.h"

namespace judge {

// The median of a ratio over rounds, and its quartiles.
struct Ratio {
  double median = 0;
  double low = 0;
  double high = 0;
  double spread() const { return median == 0 ? 0 : (high - low) / median; }
};
Ratio summarize(std::vector<double> per_round);  // not empty

struct SpeedResult {
  std::optional<Failure> failure;  // wrong outputs in a timed run, or clocks that disagree
  bool noisy = false;              // the spread stayed too large after reruns: no verdict
  int rounds = 0;
  std::size_t checked_calls = 0;  // the submission's timed calls: each result was checked
  double time_ms = 0;             // the submission, one call
  double limit_gbps = 0;          // what the limit's call reaches
  Ratio share;                    // the submission's speed over the limit's
  std::optional<Ratio> of_library;
  std::optional<Ratio> of_reference;
  std::optional<Ratio> speedup;       // over the lab's first rung
  std::optional<double> speedup_cpu;  // over one sequential run on the host
};

SpeedResult measure_speed(const Workload& workload);

// One line of a benchmark: every figure of the result by name.
std::string to_json(const Workload& workload, std::size_t num_items, const SpeedResult& result);

// Writes the result as test properties, and fails the running test if there is a failure.
void record_speed(const Workload& workload, const SpeedResult& result);

}  // namespace judge
