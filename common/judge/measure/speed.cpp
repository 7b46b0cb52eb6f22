// SPDX-License-Identifier: MIT
#include "measure/speed.h"

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "fixture/inputs.h"
#include "measure/contender.h"
#include "protocol/device_limits.h"

namespace judge {
namespace {

constexpr std::size_t kSlotBytes = std::size_t{40} << 30;  // many times any L2, some 10 ms long
constexpr std::size_t kMaxSlots = 512;
constexpr double kMaxSpread = 0.05;       // of a ratio's quartiles around its median
constexpr double kMaxLimitSpread = 0.03;  // of the limit's own times
constexpr double kImpossibleShare =
    1.08;                                // above what the device can do, measurement error included
constexpr double kLaunchBoundMs = 0.02;  // below it, the launch dominates the time
constexpr double kMaxClockDrift = 500e-6;  // Linux lets a clock run this much too fast or too slow
constexpr double kLongCallMs = 50;         // more than scratch memory takes to be there
constexpr std::size_t kManyCalls = 64;  // in a batch, if each takes hardly longer than a round trip
constexpr std::size_t kMaxSequentialItems = std::size_t{1} << 24;  // more than a core's caches

std::size_t calls_for(double batch_ms, double call_ms, std::size_t least, std::size_t most) {
  const double calls = batch_ms / std::max(call_ms, 1e-3);
  return static_cast<std::size_t>(
      std::clamp(calls, static_cast<double>(least), static_cast<double>(most)));
}

class Measurement {
 public:
  Measurement(const Workload& workload, const SpeedWorkers& workers, SeedSequence& seeds,
              const SpeedPlan& plan)
      : workload_(workload),
        seeds_(seeds),
        plan_(plan),
        arena_(num_slots(workload) * workload.arena_bytes_per_call) {
    for (std::size_t i = num_slots(workload); i > 0; --i) {
      const std::size_t first_region = arena_.regions().size();
      slots_.push_back(workload.make_slot(arena_));
      inputs_.emplace_back(arena_, first_region);
    }
    prepare(limit_, workload.limit, workers.anchors);
    limit_.has_result = false;
    if (!workload.library.empty()) {  // in the limit's worker: each start takes the driver's time
      library_.function = workload.library;
      library_.retime = plan.retime;
      library_.submission = limit_.submission;
    }
    prepare(reference_, workload.function, workers.reference);
    for (Contender* contender : {&limit_, &library_, &reference_}) {
      if (contender->submission) trusted_.push_back(contender);
    }
    if (workload.beside_first) {
      is_first_ = !workers.first.worker.empty() && workers.first.worker == workers.reference.worker;
      first_ms_ = workers.first_ms;
      if (!is_first_ && !first_ms_) prepare(first_, workload.function, workers.first);
    }
    prepare(student_, workload.function, workers.submission, workers.limits);
    student_.is_paused = true;
    contenders_ = trusted_;
    contenders_.push_back(&student_);
  }

  // What the machine does is measured while the submission has no process, in each attempt. So a
  // submission decides neither how precisely it is measured nor what counts as noise.
  SpeedResult run() {
    SpeedResult result;
    for (int attempt = 0; attempt < plan_.attempts; ++attempt) {
      student_.submission->end();
      measure_machine();
      result = measure_submission();
      if (result.failure || result.steady || is_launch_bound()) break;
    }
    end_workers();
    return result;
  }

 private:
  static std::size_t num_slots(const Workload& workload) {
    const std::size_t budget = std::min(kSlotBytes, free_device_bytes() / 2);
    return std::clamp<std::size_t>(budget / workload.arena_bytes_per_call, 1, kMaxSlots);
  }

  void prepare(Contender& contender, const std::string& function, Commands command,
               const Limits& limits = {}) {
    if (function.empty() || command.worker.empty()) return;  // there is no such contender
    contender.function = function;
    contender.retime = plan_.retime;
    contender.submission = std::make_shared<Submission>(std::move(command), arena_, limits);
  }

  void measure_machine() {
    start_trusted();
    refresh(1);  // batches are sized by one call
    empty_ms_.clear();
    for (Contender* contender : trusted_) {
      contender->is_proven = false;
      size_batch(*contender);
      contender->is_proven = true;
    }
    if (first_.submission && !first_ms_) time_first();
    forget_rounds();
    refresh(most_calls(trusted_));  // for all rounds: trusted programs repeat no results
    for (int round = 0; round < std::min(plan_.quiet_rounds, num_rounds()); ++round) {
      time_round(round, trusted_);
    }
    overhead_ms_ = summarize(empty_ms_).median;
    quiet_limit_ms_ = limit_.time();
    if (is_first_) first_ms_ = reference_.time().median;
    longest_trip_ms_ = overhead_ms_;
    for (const Contender* contender : trusted_) {
      longest_trip_ms_ = std::max(longest_trip_ms_, std::ranges::max(contender->clock_gap_ms));
    }
    for (const Contender* contender : trusted_) {
      most_ms_[contender] = contender->time().median;
    }
    noise_ = noise();
    for (auto& [contender, ms] : most_ms_) ms *= 1 + std::max(noise_, kMaxSpread);
  }

  // Most of a start is the driver's work, in which processes hardly wait for each other.
  void start_trusted() {
    std::set<Submission*> workers;
    for (const Contender* contender : trusted_) workers.insert(contender->submission.get());
    if (first_.submission && !first_ms_) workers.insert(first_.submission.get());
    std::vector<std::future<void>> starts;
    for (Submission* worker : workers) {
      worker->launch();
      starts.push_back(std::async(std::launch::async, [worker] { worker->wait_until_ready(); }));
    }
    for (std::future<void>& start : starts) start.get();
  }

  // Most of an end is the driver's work, too. Whether it succeeds no longer matters.
  void end_workers() {
    std::set<std::shared_ptr<Submission>> workers;
    for (Contender* contender : contenders_) {
      workers.insert(contender->submission);
      contender->submission.reset();
    }
    std::vector<std::future<void>> ends;
    while (!workers.empty()) {
      ends.push_back(std::async(
          std::launch::async, [last = workers.extract(workers.begin())]() mutable { last = {}; }));
    }
  }

  // The lab's first rung is slow by design. One batch says how slow, so it joins no round.
  void time_first() {
    size_batch(first_);
    if (first_.calls_per_batch > 1) {
      refresh(first_.calls_per_batch);
      static_cast<void>(time_batch(first_, 0));
    }
    first_ms_ = first_.call_ms.at(0);
    first_.submission->end();
  }

  // Of the ratio of two programs that are not the submission's, if there are two.
  double noise() const {
    const Contender* const other = reference_.submission ? &reference_
                                   : library_.submission ? &library_
                                                         : nullptr;
    if (other == nullptr) return quiet_limit_ms_.spread();
    std::vector<double> ratios;
    for (const auto& [round, time] : other->call_ms) {
      ratios.push_back(time / limit_.call_ms.at(round));
    }
    return summarize(ratios).spread();
  }

  SpeedResult measure_submission() {
    SpeedResult result;
    if ((result.failure = size_students_batch())) return result;
    forget_rounds();
    double spent_ms = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      if ((result.failure = run_round(round))) return result;
      if (lengthen_students_batch(round)) {
        forget_rounds();
        spent_ms = 0;
        round = -1;
        continue;
      }
      spent_ms += student_.batch_ms(round);
      if (round + 1 >= plan_.slow_rounds && spent_ms > plan_.enough_ms) break;
      const bool is_long = student_.batch_ms(round) >= plan_.long_batch_ms;
      if (round + 1 < (is_long ? plan_.slow_rounds : plan_.least_rounds)) continue;
      if (is_narrow() || is_launch_bound()) break;
    }
    return conclude();
  }

  // Further rounds would hardly move the medians.
  bool is_narrow() const {
    return std::ranges::all_of(trusted_, [&](const Contender* contender) {
      return faster_than(*contender).spread() <= plan_.narrow_spread;
    });
  }

  void forget_rounds() {
    for (Contender* contender : contenders_) contender->forget_rounds();
  }

  // Then this is not the device's limit, and repeating does not make the rounds agree.
  bool is_launch_bound() const { return quiet_limit_ms_.median < kLaunchBoundMs; }

  // How many calls in a batch a submission of the right speed needs.
  std::size_t planned_calls() const {
    return (reference_.submission ? reference_ : limit_).calls_per_batch;
  }
  int num_rounds() const { return planned_calls() == 1 ? plan_.slow_rounds : plan_.rounds; }

  // New data for as many calls as the next batches have.
  void refresh(std::size_t num_calls) {
    for (std::size_t i = 0; i < num_calls; ++i) slots_[i]->refresh(seeds_.next());
  }

  // Warms up, and sizes the batch by the time of one call. A long call is hardly slower when it is
  // the first. The time of a short one is mostly the round trip: then a batch of them says more.
  void size_batch(Contender& contender) {
    contender.calls_per_batch = 1;
    time_batch(contender, 0);
    const bool loads = &contender == &library_;  // at its first call
    if (loads || contender.batch_ms(0) < kLongCallMs) time_batch(contender, 0);
    const auto size_by_call = [&] {
      contender.calls_per_batch =
          calls_for(plan_.batch_ms, contender.call_ms.at(0), 1, slots_.size());
    };
    size_by_call();
    if (contender.calls_per_batch < kManyCalls) return;
    refresh(contender.calls_per_batch);
    time_batch(contender, 0);
    size_by_call();
  }

  std::optional<Failure> size_students_batch() {
    student_.calls_per_batch = 1;
    if (auto failure = time_batch(student_, 0)) return failure;
    if (student_.batch_ms(0) < kLongCallMs) {
      if (auto failure = time_batch(student_, 0)) return failure;
    }
    student_.calls_per_batch =
        calls_for(plan_.long_batch_ms, student_.call_ms.at(0), 1, planned_calls());
    return std::nullopt;
  }

  // A batch has the planned number of calls, or it takes long, in every round. A submission that is
  // slow only while it warms up would otherwise be measured less precisely.
  bool lengthen_students_batch(int round) {
    const std::size_t calls = student_.calls_per_batch;
    if (calls >= planned_calls() || student_.batch_ms(round) > plan_.long_batch_ms / 2)
      return false;
    const std::size_t least = std::min(2 * calls, planned_calls());
    student_.calls_per_batch =
        calls_for(plan_.long_batch_ms, student_.call_ms.at(round), least, planned_calls());
    return true;
  }

  static std::size_t most_calls(const std::vector<Contender*>& contenders) {
    std::size_t num_calls = 0;
    for (const Contender* contender : contenders) {
      num_calls = std::max(num_calls, contender->calls_per_batch);
    }
    return num_calls;
  }

  // Runs each worker once over fresh data, which is the same for all.
  std::optional<Failure> run_round(int round) {
    const std::size_t num_calls = most_calls(contenders_);
    if (auto failure = blaming("the judge", [&] { refresh(num_calls); })) return failure;
    return time_round(round, contenders_);
  }

  // Runs each worker once, in a different order each round.
  std::optional<Failure> time_round(int round, std::vector<Contender*> order) {
    std::rotate(order.begin(), order.begin() + round % static_cast<int>(order.size()), order.end());
    for (Contender* contender : order) {
      if (auto failure = time_batch(*contender, round)) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> time_batch(Contender& contender, int round) {
    if (&contender == &student_) return time_students_batch(round);
    return blaming(contender.function, [&] {
      const auto timed = contender.time_batch(workload_, slots_, round, overhead_ms_);
      if (timed.failure) {
        throw std::runtime_error(contender.function + ": " + timed.failure->message);
      }
      if (&contender == &limit_) empty_ms_.push_back(timed.empty_ms);
    });
  }

  std::optional<Failure> time_students_batch(int round) {
    const std::span inputs(inputs_.data(), student_.calls_per_batch);
    if (auto failure = blaming("the judge", [&] {
          for (Inputs& input : inputs) input.remember(seeds_.next());
        })) {
      return failure;
    }
    if (auto timed = student_.time_batch(workload_, slots_, round, overhead_ms_); timed.failure) {
      return timed.failure;
    }
    for (const Inputs& input : inputs) {
      if (auto failure = input.find_change()) {
        failure->message = "in a timed run: " + failure->message;
        return failure;
      }
    }
    return std::nullopt;
  }

  // Does what has been done before without the submission. If it fails now, it is tried once more
  // without. Throws if it fails then, too: that is the machine's fault.
  template <class Work>
  std::optional<Failure> blaming(const std::string& who, const Work& work) {
    try {
      work();
      return std::nullopt;
    } catch (const std::exception&) {
      if (!student_.submission->is_running()) throw;
    }
    student_.submission->end();
    work();
    return Failure{kind::kForbidden, "while the submission's process was there, " + who +
                                         " could not use the device, and without it could: "
                                         "the submission keeps the device's memory or its time"};
  }

  // The speedup of the submission over `other`, per round. A submission that keeps the device busy
  // in the others' turns gains nothing: they count as no slower than they were without it.
  Ratio faster_than(const Contender& other) const {
    std::vector<double> ratios;
    for (const auto& [round, time] : other.call_ms) {
      ratios.push_back(std::min(time, most_ms_.at(&other)) / student_.call_ms.at(round));
    }
    return summarize(ratios);
  }

  Ratio faster_than_first() const {
    std::vector<double> ratios;
    for (const auto& [round, time] : student_.call_ms) ratios.push_back(*first_ms_ / time);
    return summarize(ratios);
  }

  bool is_steady(const SpeedResult& result) const {
    const bool is_undisturbed = std::ranges::all_of(trusted_, [&](const Contender* contender) {
      return contender->time().median <= most_ms_.at(contender);
    });
    return !result.noisy && is_undisturbed && result.share.spread() <= kMaxSpread;
  }

  Clocks clocks(double batch_ms) const {
    const double drift_ms = kMaxClockDrift * batch_ms;
    return {summarize(student_.clock_gap_ms).median, -drift_ms, 2 * longest_trip_ms_ + drift_ms};
  }

  SpeedResult conclude() const {
    SpeedResult result;
    const Ratio student_ms = student_.time();
    result.rounds = static_cast<int>(student_.call_ms.size());
    result.calls_per_batch = student_.calls_per_batch;
    result.checked_calls = student_.checked_calls;
    result.time_ms = student_ms.median;
    result.limit_gbps = workload_.bytes_per_call / limit_.time().median / 1e6;
    result.share = faster_than(limit_);
    if (library_.submission) result.of_library = faster_than(library_);
    if (first_ms_) result.speedup = faster_than_first();
    result.first_ms = first_ms_;
    if (reference_.submission) result.of_reference = faster_than(reference_);
    result.noise = noise_;
    result.noisy = noise_ > kMaxSpread || quiet_limit_ms_.spread() > kMaxLimitSpread;
    result.steady = is_steady(result);

    result.clocks = clocks(student_ms.median * static_cast<double>(student_.calls_per_batch));
    if (!result.clocks.agree()) {
      result.failure =
          Failure{kind::kForbidden,
                  "the judge's clock shows " + std::to_string(result.clocks.gap_ms) +
                      " ms more than the worker's own for the same calls, and not between " +
                      std::to_string(result.clocks.least_ms) + " and " +
                      std::to_string(result.clocks.most_ms) + " ms, as for other programs"};
    } else if (!is_launch_bound() && result.share.median > kImpossibleShare) {
      result.failure = Failure{kind::kForbidden,
                               "faster than this device can move the data: "
                               "the work cannot have been done inside the timed call"};
    }
    return result;
  }

  const Workload& workload_;
  SeedSequence& seeds_;
  const SpeedPlan plan_;
  Arena arena_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Inputs> inputs_;  // of each slot
  Contender student_, limit_, library_, first_, reference_;
  std::vector<Contender*> contenders_;  // in the rounds: all but the first rung
  std::vector<Contender*> trusted_;     // of these all but the submission
  bool is_first_ = false;               // the reference is the lab's first rung

  // From the rounds without the submission:
  std::vector<double> empty_ms_;  // the limit's batches without calls
  double longest_trip_ms_ = 0;    // of a batch, besides its calls
  double overhead_ms_ = 0;
  double noise_ = 0;  // the interval of a ratio, relative to its median
  Ratio quiet_limit_ms_;
  std::map<const Contender*, double> most_ms_;  // that a call of the contender may count as
  std::optional<double> first_ms_;              // a call of the lab's first rung
};

// What a sequential run takes is in proportion to this.
double work(const Workload& workload) {
  return workload.flops_per_call > 0 ? workload.flops_per_call : workload.bytes_per_call;
}

}  // namespace

std::future<double> sequential_ms(const WorkloadPlan& plan, std::size_t num_items,
                                  SeedSequence& seeds) {
  const Workload whole = plan.make(num_items);
  const Workload part = plan.make(std::min(num_items, kMaxSequentialItems));
  auto arena = std::make_unique<Arena>(part.arena_bytes_per_call);
  std::unique_ptr<Slot> slot = part.make_slot(*arena);
  slot->refresh(seeds.next());
  return std::async(std::launch::async,
                    [arena = std::move(arena), slot = std::move(slot),
                     scale = work(whole) / work(part)] { return slot->sequential_ms() * scale; });
}

SpeedResult measure_speed(const Workload& workload, const SpeedWorkers& workers,
                          SeedSequence& seeds, const SpeedPlan& plan) {
  return Measurement(workload, workers, seeds, plan).run();
}

}  // namespace judge
