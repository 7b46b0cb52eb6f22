// SPDX-License-Identifier: MIT
// Rung 01: the times of three stages. The emulator's device has a clock here: only the judge and
// the device know how long a copy and a launch take. A kernel's first launch takes longer, and each
// repeat takes longer than the one before.
#include <cmath>

#include "fixture.h"
#include "fixture/options.h"

namespace lab_judge {
namespace {

using lab::StageTimes;

std::string text(double ms) { return judge::number(ms, 6) + " ms"; }

// What a stage takes in the repeats after the warm-up, and in it; and all stages, on average.
struct Times {
  double mean, sum, first, last, warm_up, all_stages;
};

struct WrongTime {
  const char* clause;
  double (*ms)(const Times& times, int num_repeats);
};

constexpr WrongTime kWrongTimes[] = {
    {"the time of all repeats is returned: divide it by their number",
     [](const Times& times, int) { return times.sum; }},
    {"the first time is measured, too: the device loads the kernel's code then. It only warms up",
     [](const Times& times, int n) { return (times.warm_up + times.sum) / n; }},
    {"the first time is measured, too: it only warms up",
     [](const Times& times, int n) { return (times.warm_up + times.sum - times.last) / n; }},
    {"the first time is measured, too, and counted as one of num_repeats + 1",
     [](const Times& times, int n) { return (times.warm_up + times.sum) / (n + 1); }},
    {"the events are in another stream than the work, or the stage is not between its events",
     [](const Times&, int) { return 0.0; }},
    {"the events of the stage are the first and the last: all three stages are between them",
     [](const Times& times, int) { return times.all_stages; }},
    {"the events are exchanged: cudaEventElapsedTime(&elapsed_ms, start, stop)",
     [](const Times& times, int) { return -times.mean; }},
    {"the time is divided by one repeat too many: the first one only warms up",
     [](const Times& times, int n) { return times.sum / (n + 1); }},
    {"only the last repeat is measured, and its time divided",
     [](const Times& times, int n) { return times.last / n; }},
    {"only the first repeat after the warm-up is measured, and its time divided",
     [](const Times& times, int n) { return times.first / n; }},
    {"it is the time of the last repeat, and not the mean of all",
     [](const Times& times, int) { return times.last; }},
    {"it is the time of the first repeat after the warm-up, and not the mean of all",
     [](const Times& times, int) { return times.first; }},
};

class StageTimesOf : public judge::Fixture {
 protected:
  std::optional<Failure> time(int num_items, int num_repeats) {
    begin_case();
    const double unit = 1e-6 * static_cast<double>(2 + next_seed() % 7);
    const wire::Posed posed = {.launch_ms = 0.25 * static_cast<double>(1 + next_seed() % 8),
                               .kernel_byte_ms = 2 * unit,
                               .byte_in_ms = 3 * unit,
                               .byte_out_ms = 5 * unit,
                               .drift = 0.05};
    pose(posed);
    set_scratch_bytes(2 * sizeof(std::uint32_t) * num_items + 512);
    const Words h_in = make_words(next_seed(), num_items);
    const auto in = input("h_in", h_in);
    const auto out = output<std::uint32_t>("h_out", num_items);
    const auto returned = output<StageTimes>("returned", 1);
    auto failure =
        call<decltype(lab::time_stages)>("time_stages", judge::pinned(in), num_items, kNumRounds,
                                         judge::pinned(out), num_repeats, judge::on_host(returned));
    if (failure && failure->message.find("cudaErrorNotReady") != std::string::npos) {
      failure->message +=
          ": the device has not come to the event. Wait for it first: cudaEventSynchronize";
    }
    if (!failure) failure = compare("h_out", out.download(), mixed(h_in, kNumRounds), {});
    if (!failure) {
      failure = compare_times(posed, num_items, num_repeats, returned.download()[0]);
    }
    if (failure) {
      failure->message = std::to_string(num_items) + " items, " +
                         judge::counted(num_repeats, "repeat") + ": " + failure->message;
    }
    return failure;
  }

 private:
  static std::optional<Failure> compare_times(const wire::Posed& posed, int num_items,
                                              int num_repeats, const StageTimes& got) {
    if (judge::kOnGpu) {  // the judge has no clock that is as good
      for (const float ms : {got.copy_in, got.compute, got.copy_out}) {
        if (std::isfinite(ms) && ms > 0) continue;
        return Failure{judge::kind::kWrongResult, "a stage cannot take " + text(ms),
                       kWrongTimes[4].clause};
      }
      return std::nullopt;
    }
    const double bytes = 4.0 * num_items;
    const double by_bytes = posed.kernel_byte_ms * 2 * bytes;  // each word is read and written
    const double copy_in = posed.byte_in_ms * bytes;
    const double compute = posed.launch_ms + by_bytes;
    const double copy_out = posed.byte_out_ms * bytes;
    // Repeat k takes 1 + drift * k of its time in the warm-up, without the first launch.
    const double mean = 1 + posed.drift * (num_repeats + 1) / 2;
    struct Stage {
      const char* name;
      double ms, warm_up;
      float got;
    };
    for (const Stage& stage :
         {Stage{"compute", compute, wire::kColdTimes * posed.launch_ms + by_bytes, got.compute},
          Stage{"copy_in", copy_in, copy_in, got.copy_in},
          Stage{"copy_out", copy_out, copy_out, got.copy_out}}) {
      const Times times = {.mean = mean * stage.ms,
                           .sum = mean * stage.ms * num_repeats,
                           .first = (1 + posed.drift) * stage.ms,
                           .last = (1 + posed.drift * num_repeats) * stage.ms,
                           .warm_up = stage.warm_up,
                           .all_stages = mean * (copy_in + compute + copy_out)};
      const auto is = [&](double ms) {
        return std::abs(stage.got - ms) <= 1e-3 * std::abs(ms) + 1e-9;
      };
      if (is(times.mean)) continue;
      Failure failure{judge::kind::kWrongResult,
                      std::string(stage.name) + " takes " + text(times.mean) +
                          " by the device's clock, but " + text(stage.got) + " is returned"};
      for (const WrongTime& wrong : kWrongTimes) {
        if (is(wrong.ms(times, num_repeats))) failure.add_pattern(wrong.clause);
      }
      for (const double other : {copy_in, compute, copy_out}) {
        if (!failure.pattern.empty()) break;
        if (is(mean * other)) failure.pattern = "it is the time of another stage";
        if (is(mean * (stage.ms + other))) {
          failure.pattern = "another stage is between the events, too";
        }
      }
      return failure;
    }
    return std::nullopt;
  }
};

class Events : public StageTimesOf {};

TEST_F(Events, GiveTheMeanOfEachStage) {
  for (const auto& [num_items, num_repeats] : {std::pair{1000, 4}, {20000, 3}, {257, 10}}) {
    if (const auto failure = time(num_items, num_repeats)) return fail(*failure);
  }
}

TEST_F(Events, NeedAWarmUp) {
  for (const auto& [num_items, num_repeats] : {std::pair{300, 7}, {5000, 2}}) {
    if (const auto failure = time(num_items, num_repeats)) return fail(*failure);
  }
}

TEST_F(Events, MayMeasureASingleRepeat) {
  for (const int num_items : {1, 255, 4097}) {
    if (const auto failure = time(num_items, 1)) return fail(*failure);
  }
}

}  // namespace
}  // namespace lab_judge
