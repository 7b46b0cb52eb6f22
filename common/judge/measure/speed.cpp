// SPDX-License-Identifier: MIT
#include "measure/speed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "fixture/json.h"
#include "fixture/options.h"
#include "fixture/record.h"
#include "fixture/session.h"
#include "protocol/device_limits.h"

namespace judge {
namespace {

constexpr int kRounds = 15;
constexpr int kAttempts = 3;
constexpr int kFirstRungInterval =
    5;                              // the first rung is slow by design: it joins every fifth round
constexpr double kMaxBatchMs = 40;  // slow code is timed over fewer calls: long batches are precise
constexpr int kSlowRounds = 5;      // ... and in fewer rounds, when one call alone takes that long
constexpr std::size_t kSlotBytes = std::size_t{40} << 30;  // many times any L2, some 10 ms long
constexpr std::size_t kMaxSlots = 512;
constexpr double kMaxSpread = 0.05;       // of the ratio's quartiles around its median
constexpr double kMaxLimitSpread = 0.03;  // of the limit's own times
constexpr double kImpossibleShare =
    1.08;                                // above what the device can do, measurement error included
constexpr double kLaunchBoundMs = 0.02;  // below it, the launch dominates the time
constexpr double kClockTolerance = 0.15;  // between the judge's clock and the worker's events
constexpr double kClockSlackMs = 0.5;
constexpr int kRatioDigits = 6;  // of a measured figure

// One contender: a worker and the function to call in it.
struct Contender {
  std::string function;
  std::unique_ptr<Submission> submission;
  int round_interval = 1;  // joins every n-th round
  std::size_t calls_per_batch = 1;
  std::size_t checked_calls = 0;  // timed calls with right results
  std::map<int, double>
      call_ms;  // by round: one call's share of a batch, without a batch's overhead
  std::vector<double> clock_gap_ms;  // judge's clock minus worker's clock, per call
  std::vector<double> empty_ms;      // batches without calls: the time of a round trip

  Ratio time() const {
    std::vector<double> times;
    for (const auto& [round, time] : call_ms) times.push_back(time);
    return summarize(times);
  }
};

class Measurement {
 public:
  explicit Measurement(const Workload& workload)
      : workload_(workload), arena_(num_slots(workload) * workload.arena_bytes_per_call) {
    for (std::size_t i = num_slots(workload); i > 0; --i)
      slots_.push_back(workload.make_slot(arena_));
    add(student_, workload.function, submission_command(options()), limits(options()));
    add(limit_, workload.limit, {options().anchors});
    if (!workload.library.empty()) add(library_, workload.library, {options().anchors});
    if (workload.beside_first && !options().first.empty()) {
      add(first_, workload.function, {options().first});
    }
    first_.round_interval = kFirstRungInterval;
    if (!options().reference.empty()) add(reference_, workload.function, {options().reference});
  }

  SpeedResult run() {
    SpeedResult result;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      result = run_rounds();
      if (result.failure || !result.noisy || is_launch_bound()) break;
    }
    return result;
  }

 private:
  static std::size_t num_slots(const Workload& workload) {
    const std::size_t budget = std::min(kSlotBytes, free_device_bytes() / 2);
    return std::clamp<std::size_t>(budget / workload.arena_bytes_per_call, 1, kMaxSlots);
  }

  void add(Contender& contender, const std::string& function, std::vector<std::string> command,
           const Limits& limits = {}) {
    contender.function = function;
    contender.submission = std::make_unique<Submission>(std::move(command), arena_, limits);
    contenders_.push_back(&contender);
  }

  SpeedResult run_rounds() {
    SpeedResult result;
    refresh();
    for (Contender* contender : contenders_) {
      contender->call_ms.clear();
      contender->clock_gap_ms.clear();
      if ((result.failure = calibrate(*contender))) return result;
    }
    for (int round = 0; round < num_rounds(); ++round) {
      if ((result.failure = run_round(round))) return result;
    }
    return conclude();
  }

  // Then this is not the device's limit, and repeating does not make the rounds agree.
  bool is_launch_bound() const { return limit_.time().median < kLaunchBoundMs; }

  int num_rounds() const { return student_.calls_per_batch == 1 ? kSlowRounds : kRounds; }

  void refresh() {
    for (auto& slot : slots_) slot->refresh(session().seeds().next());
  }

  // Warms up, and sizes the batch by the time of one call.
  std::optional<Failure> calibrate(Contender& contender) {
    contender.calls_per_batch = 1;
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
      if (auto failure = time_batch(contender, 0)) return failure;
    }
    const double calls = kMaxBatchMs / std::max(contender.call_ms.at(0), 1e-3);
    contender.calls_per_batch =
        static_cast<std::size_t>(std::clamp(calls, 1.0, static_cast<double>(slots_.size())));
    contender.call_ms.clear();
    contender.clock_gap_ms.clear();
    return std::nullopt;
  }

  // Runs each worker once over the same fresh data, in a different order each round.
  std::optional<Failure> run_round(int round) {
    refresh();
    std::vector<Contender*> order = contenders_;
    std::rotate(order.begin(), order.begin() + round % static_cast<int>(order.size()), order.end());
    for (Contender* contender : order) {
      if (round % contender->round_interval != 0) continue;
      if (auto failure = time_batch(*contender, round)) return failure;
    }
    return std::nullopt;
  }

  // Throws if a worker other than the submission's fails: that is the grader's fault.
  std::optional<Failure> time_batch(Contender& contender, int round) {
    auto failure = try_batch(contender, round);
    if (failure && &contender != &student_) {
      throw std::runtime_error(contender.function + ": " + failure->message);
    }
    return failure;
  }

  std::optional<Failure> try_batch(Contender& contender, int round) {
    wire::Batch batch;
    batch.scratch_bytes = workload_.scratch_bytes;
    batch.timed = 1;
    const Outcome empty = contender.submission->run(batch);
    if (empty.failure) return empty.failure;
    contender.empty_ms.push_back(empty.wall_ms);
    for (std::size_t i = 0; i < contender.calls_per_batch; ++i) {
      slots_[i]->poison_outputs();
      batch.calls.push_back(slots_[i]->call(contender.function));
    }
    const Outcome outcome = contender.submission->run(batch);
    if (outcome.failure) return outcome.failure;
    const bool has_result = &contender != &limit_;
    for (std::size_t i = 0; has_result && i < contender.calls_per_batch; ++i) {
      if (auto wrong = slots_[i]->check()) {
        wrong->message = "in a timed run: " + wrong->message;
        return wrong;
      }
    }
    if (has_result) contender.checked_calls += contender.calls_per_batch;
    const auto num_calls = static_cast<double>(contender.calls_per_batch);
    const double elapsed_ms = outcome.wall_ms - summarize(contender.empty_ms).median;
    contender.call_ms[round] = elapsed_ms / num_calls;
    contender.clock_gap_ms.push_back((elapsed_ms - outcome.events_ms) / num_calls);
    return std::nullopt;
  }

  // The speedup of the submission over `other`, per round.
  Ratio faster_than(const Contender& other) const {
    std::vector<double> ratios;
    for (const auto& [round, time] : other.call_ms) {
      ratios.push_back(time / student_.call_ms.at(round));
    }
    return summarize(ratios);
  }

  SpeedResult conclude() const {
    SpeedResult result;
    const Ratio student_ms = student_.time();
    const Ratio limit_ms = limit_.time();
    result.rounds = num_rounds();
    result.checked_calls = student_.checked_calls;
    result.time_ms = student_ms.median;
    result.limit_gbps = workload_.bytes_per_call / limit_ms.median / 1e6;
    result.share = faster_than(limit_);
    if (library_.submission) result.of_library = faster_than(library_);
    if (first_.submission) result.speedup = faster_than(first_);
    if (reference_.submission) result.of_reference = faster_than(reference_);
    result.speedup_cpu = slots_.front()->sequential_ms() / result.time_ms;
    result.noisy = result.share.spread() > kMaxSpread || limit_ms.spread() > kMaxLimitSpread;

    const double gap = std::abs(summarize(student_.clock_gap_ms).median);
    const double slack = kClockSlackMs / static_cast<double>(student_.calls_per_batch);
    if (gap > slack + kClockTolerance * student_ms.median) {
      result.failure = Failure{kind::kForbidden, "the worker's clock and the judge's disagree by " +
                                                     std::to_string(gap) + " ms a call"};
    } else if (!is_launch_bound() && result.share.median > kImpossibleShare) {
      result.failure = Failure{kind::kForbidden,
                               "faster than this device can move the data: "
                               "the work cannot have been done inside the timed call"};
    }
    return result;
  }

  const Workload& workload_;
  Arena arena_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Contender student_, limit_, library_, first_, reference_;
  std::vector<Contender*> contenders_;
};

// A result's figures by the names under which the grader and the pages know them.
std::vector<std::pair<std::string, double>> figures(const Workload& workload,
                                                    const SpeedResult& result) {
  std::vector<std::pair<std::string, double>> list = {
      {"share", result.share.median},
      {"share_low", result.share.low},
      {"share_high", result.share.high},
      {"spread", result.share.spread()},
      {"rounds", result.rounds},
      {"checked_calls", static_cast<double>(result.checked_calls)},
      {"time_ms", result.time_ms},
      {"gbps", workload.bytes_per_call / result.time_ms / 1e6},
      {"anchor_gbps", result.limit_gbps}};
  if (workload.flops_per_call > 0) {
    const double flops_per_byte = workload.flops_per_call / workload.bytes_per_call;
    list.emplace_back("gflops", workload.flops_per_call / result.time_ms / 1e6);
    list.emplace_back("anchor_gflops", result.limit_gbps * flops_per_byte);
  }
  if (result.of_library) list.emplace_back("of_library", result.of_library->median);
  if (result.of_reference) list.emplace_back("of_reference", result.of_reference->median);
  if (result.speedup) list.emplace_back("speedup", result.speedup->median);
  if (result.speedup_cpu) list.emplace_back("speedup_cpu", *result.speedup_cpu);
  return list;
}

}  // namespace

Ratio summarize(std::vector<double> per_round) {
  std::ranges::sort(per_round);
  const auto at = [&](double quantile) {
    const double position = quantile * static_cast<double>(per_round.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, per_round.size() - 1);
    const double weight = position - static_cast<double>(below);
    return per_round[below] * (1 - weight) + per_round[above] * weight;
  };
  return {at(0.5), at(0.25), at(0.75)};
}

SpeedResult measure_speed(const Workload& workload) { return Measurement(workload).run(); }

std::string to_json(const Workload& workload, std::size_t num_items, const SpeedResult& result) {
  json::Members members = {{"function", json::quote(workload.function)},
                           {"limit", json::quote(workload.limit)},
                           {"library", json::quote(workload.library)},
                           {"num_items", std::to_string(num_items)}};
  if (result.failure) {
    members.emplace_back("failure", json::quote(result.failure->message));
    return json::object(members);
  }
  for (const auto& [name, value] : figures(workload, result)) {
    members.emplace_back(name, json::number(value, kRatioDigits));
  }
  members.emplace_back("noisy", result.noisy ? "true" : "false");
  return json::object(members);
}

void record_speed(const Workload& workload, const SpeedResult& result) {
  ::testing::Test::RecordProperty("part", "efficiency");
  if (result.failure) {
    record_failure(*result.failure);
    ADD_FAILURE() << result.failure->kind << ": " << result.failure->message;
    return;
  }
  if (result.noisy) ::testing::Test::RecordProperty("outcome", "noisy");
  for (const auto& [name, value] : figures(workload, result)) {
    ::testing::Test::RecordProperty(name, json::number(value, kRatioDigits));
  }
}

}  // namespace judge
