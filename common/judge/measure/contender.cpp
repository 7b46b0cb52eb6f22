// SPDX-License-Identifier: MIT
#include "measure/contender.h"

#include <utility>

namespace judge {

void Contender::forget_rounds() {
  call_ms.clear();
  clock_gap_ms.clear();
}

Ratio Contender::time() const {
  std::vector<double> times;
  for (const auto& [round, time] : call_ms) times.push_back(time);
  return summarize(times);
}

double Contender::batch_ms(int round) const {
  return call_ms.at(round) * static_cast<double>(calls_per_batch);
}

Contender::Timed Contender::time_batch(const Workload& workload,
                                       std::span<const std::unique_ptr<Slot>> slots, int round,
                                       double overhead_ms) {
  if (is_paused) submission->resume();
  Timed timed = run_batch(workload, slots, round, overhead_ms);
  if (is_paused) submission->pause();
  return timed;
}

Contender::Timed Contender::run_batch(const Workload& workload,
                                      std::span<const std::unique_ptr<Slot>> slots, int round,
                                      double overhead_ms) {
  wire::Batch batch;
  batch.scratch_bytes = workload.scratch_bytes;
  batch.timed = 1;
  const Outcome empty = run(batch);  // also makes its context the device's current one
  if (empty.failure) return {empty.failure};
  for (std::size_t i = 0; i < calls_per_batch; ++i) {
    slots[i]->poison_outputs();
    batch.calls.push_back(slots[i]->call(function));
  }
  const Outcome outcome = run(batch);
  if (outcome.failure) return {outcome.failure};
  const bool is_checked = has_result && !is_proven;
  for (std::size_t i = 0; is_checked && i < calls_per_batch; ++i) {
    if (auto wrong = slots[i]->check()) {
      wrong->message = "in a timed run: " + wrong->message;
      return {std::move(wrong)};
    }
  }
  if (is_checked) checked_calls += calls_per_batch;
  const auto num_calls = static_cast<double>(calls_per_batch);
  call_ms[round] = (outcome.wall_ms - overhead_ms) / num_calls;
  clock_gap_ms.push_back(outcome.wall_ms - outcome.events_ms);
  return {std::nullopt, empty.wall_ms};
}

Outcome Contender::run(const wire::Batch& batch) {
  Outcome outcome = submission->run(batch);
  if (retime) retime(outcome);
  return outcome;
}

}  // namespace judge
