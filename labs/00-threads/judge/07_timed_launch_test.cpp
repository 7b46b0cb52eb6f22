// SPDX-License-Identifier: MIT
// Rung 07: the time of a launch. The emulator's device has a clock here: each launch takes a time
// that only the judge and the device know, and a kernel's first launch wire::kColdTimes as long.
#include <cmath>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Failure;

std::string text(double ms) { return figure(ms) + " ms"; }

struct WrongTime {
  const char* clause;
  double (*launches)(double num_launches);  // the wrong time, in launches
};

constexpr double kCold = wire::kColdTimes;

constexpr const char* kNotDivided =
    "the time of all launches is returned: divide it by their number";
constexpr const char* kNotWarm =
    "the first launch is timed, too: the device loads the kernel's code then. Launch once before "
    "the first event";
constexpr WrongTime kWrongTimes[] = {
    {kNotDivided, [](double n) { return n; }},
    {kNotWarm, [](double n) { return (n - 1 + kCold) / n; }},
    {"the launch that warms up is timed, too: record the first event after it",
     [](double n) { return (n + kCold) / n; }},
    {"the first launch is timed, too, and the time is not divided by the number of launches",
     [](double n) { return n - 1 + kCold; }},
    {"both events are recorded before the launches, or behind them: the launches belong between",
     [](double) { return 0.0; }},
    {"the time is divided by one launch too many: that which warms up is not between the events",
     [](double n) { return n / (n + 1); }},
    {"the first event is given as the last: cudaEventElapsedTime(&elapsed_ms, start, stop)",
     [](double) { return -1.0; }},
    {"the time is in seconds: return milliseconds", [](double) { return 1e-3; }},
    {"only the last launch is timed, and its time divided", [](double n) { return 1 / n; }},
};

class TimedLaunch : public judge::Fixture {
 protected:
  std::optional<Failure> time(int num_items, int num_launches) {
    begin_case();
    const double launch_ms = 0.25 * static_cast<double>(5 + next_seed() % 40);
    pose({.launch_ms = launch_ms});
    const auto d_items = output<float>("d_items", num_items);
    judge::Buffer<int> d_num_runs(judge::session().arena(), "d_num_runs", 1);
    d_num_runs.upload(std::vector<int>{0});
    const auto h_ms = output<float>("returned", 1);
    auto failure = call<decltype(lab::time_launch)>("time_launch", d_items, num_items, num_launches,
                                                    d_num_runs, judge::on_host(h_ms));
    if (failure && failure->message.find("cudaErrorNotReady") != std::string::npos) {
      failure->message +=
          ": the device has not come to the second event. Wait for it first: cudaEventSynchronize";
    }
    if (!failure) failure = compare_runs(num_launches, d_num_runs.download()[0]);
    if (!failure) failure = compare_time(launch_ms, num_launches, h_ms.download()[0]);
    if (!failure) failure = compare_items(d_items.download());
    if (failure) tell_case(*failure, "a mean of " + counted(num_launches, "run") + ": ");
    return failure;
  }

  void expect(const std::vector<int>& launches, int num_items) {
    for (const int num_launches : launches) {
      if (const auto failure = time(num_items, num_launches)) return fail(*failure);
    }
  }

 private:
  static std::optional<Failure> compare_runs(int num_launches, int num_runs) {
    if (num_runs > num_launches) return std::nullopt;
    Failure failure{judge::kind::kWrongResult, "the kernel ran " + counted(num_runs, "time") +
                                                   ", where " + std::to_string(num_launches) +
                                                   " runs must be timed, after at least one "
                                                   "that warms up"};
    if (num_runs == num_launches) failure.pattern = kNotWarm;
    return failure;
  }

  static std::optional<Failure> compare_time(double launch_ms, int num_launches, float got) {
    if (judge::kOnGpu) {  // the judge has no clock that is as good
      if (std::isfinite(got) && got > 0) return std::nullopt;
      return Failure{judge::kind::kWrongResult, "the time of a launch cannot be " + text(got),
                     kWrongTimes[4].clause};
    }
    const auto is = [&](double ms) { return std::abs(got - ms) <= 1e-4 * (std::abs(ms) + 1e-3); };
    if (is(launch_ms)) return std::nullopt;
    Failure failure{judge::kind::kWrongResult,
                    "a launch takes " + text(launch_ms) + " by the device's clock, but " +
                        text(got) + " is returned",
                    "the time is not from two events around the launches: a clock of the host "
                    "measures how long it takes to ask for the launches"};
    for (const WrongTime& wrong : kWrongTimes) {
      if (is(launch_ms * wrong.launches(num_launches))) failure.pattern = wrong.clause;
    }
    const double all_ms = std::floor(launch_ms * num_launches);
    if (got != 0 && (is(all_ms / num_launches) || is(std::floor(all_ms / num_launches)))) {
      failure.pattern = "the milliseconds are cut to a whole number: keep them in a float";
    }
    return failure;
  }

  static std::optional<Failure> compare_items(const std::vector<float>& h_items) {
    for (std::size_t i = 0; i < h_items.size(); ++i) {
      if (h_items[i] == 0.5F * static_cast<float>(i)) continue;
      return Failure{judge::kind::kOutputUnwritten,
                     "d_items[" + std::to_string(i) + "] is not what the given kernel writes"};
    }
    return std::nullopt;
  }
};

TEST_F(TimedLaunch, IsTheMeanOfSeveral) { expect({10, 3, 20}, 1000); }

TEST_F(TimedLaunch, NeedsAWarmUp) { expect({7, 50}, 300); }

TEST_F(TimedLaunch, MayBeOfASingleLaunch) { expect({1}, 257); }

}  // namespace
}  // namespace lab_judge
