// SPDX-License-Identifier: MIT
// One contender of a speed test: a worker, the function to call in it, and its times.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/ratio.h"
#include "measure/workload.h"

namespace judge {

// Sets the times of a batch that has ended.
using Retime = std::function<void(Outcome&)>;

struct Contender {
  std::string function;
  std::shared_ptr<Submission> submission;  // null: there is no such contender
  bool has_result = true;                  // false: it writes nothing that could be checked
  bool is_proven = false;                  // its results were right: they are not checked again
  bool is_paused = false;                  // between its batches: it gets no time on the processor
  Retime retime;                           // empty: the clocks' times stand
  std::size_t calls_per_batch = 1;
  std::size_t checked_calls = 0;     // timed calls with right results
  std::map<int, double> call_ms;     // by round: one call's share of a batch
  std::vector<double> clock_gap_ms;  // of each batch: the judge's clock minus the worker's

  void forget_rounds();
  Ratio time() const;
  double batch_ms(int round) const;

  struct Timed {
    std::optional<Failure> failure;
    double empty_ms = 0;  // a batch without calls: the time of a round trip
  };
  // Times one batch over fresh outputs, and checks every result, unless they are proven.
  // `overhead_ms` of a round trip do not count.
  Timed time_batch(const Workload& workload, std::span<const std::unique_ptr<Slot>> slots,
                   int round, double overhead_ms);

 private:
  Timed run_batch(const Workload& workload, std::span<const std::unique_ptr<Slot>> slots, int round,
                  double overhead_ms);
  Outcome run(const wire::Batch& batch);
};

}  // namespace judge
