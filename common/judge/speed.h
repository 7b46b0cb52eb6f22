// SPDX-License-Identifier: MIT
// Speed as a share of what this very device reaches. Every contender (the submission, the device's
// limit, the library, the lab's first rung, the reference solution) runs in a worker of its own,
// over the same fresh data, in interleaved rounds; what counts is the median of the per-round
// ratios, in which the machine's mood cancels. The clock is the judge's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "submission.h"

namespace judge {

// The data of one timed call. A batch times many slots back to back, each with content of its own,
// so that nothing can be cached, skipped or foreseen.
class Slot {
 public:
  virtual ~Slot() = default;
  virtual void refresh(std::uint64_t seed) = 0;  // new input
  virtual void poison_outputs() = 0;
  // `function` is the submission's own or an anchor's; all take this slot's buffers.
  virtual wire::Call call(const std::string& function) const = 0;
  virtual std::optional<Failure> check() const = 0;
  // Milliseconds of one sequential run on the host over the same input.
  virtual double sequential_ms() const = 0;
};

struct SpeedPlan {
  std::string function;              // of the submission
  std::string limit;                 // of the anchors: what the device can do at best
  std::string library;               // of the anchors: NVIDIA's own; empty: none
  double bytes_per_call;             // that must be moved, for GB/s
  std::size_t arena_bytes_per_call;  // with guard zones
  std::size_t scratch_bytes;
  std::function<std::unique_ptr<Slot>(Arena&)> make_slot;
};

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
  double time_ms = 0;     // the submission, one call
  double limit_gbps = 0;  // what the limit's call reaches
  Ratio share;            // the submission's speed over the limit's
  std::optional<Ratio> of_library;
  std::optional<Ratio> of_reference;
  std::optional<Ratio> speedup;       // over the lab's first rung
  std::optional<double> speedup_cpu;  // over one sequential run on the host
};

SpeedResult measure_speed(const SpeedPlan& plan);

// One line of a benchmark: every figure of the result by name.
std::string to_json(const SpeedPlan& plan, std::size_t num_items, const SpeedResult& result);

// Writes the result as test properties, and fails the running test if there is a failure.
void record_speed(const SpeedPlan& plan, const SpeedResult& result);

}  // namespace judge
