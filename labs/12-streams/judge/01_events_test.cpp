// SPDX-License-Identifier: MIT
// Rung 01: the times of three stages. The emulator's device has a clock here: only the judge and
// the device know how long a copy and a launch take, and a kernel's first launch takes longer.
#include <cmath>
#include <cstdio>

#include "fixture.h"
#include "fixture/options.h"

namespace lab_judge {
namespace {

using lab::StageTimes;

std::string text(double ms) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g ms", ms);
  return buffer;
}

// A wrong time, by the right one of the stage, those of all three, and the number of repeats.
struct WrongTime {
  const char* clause;
  double (*ms)(double right, double cold, double all, int num_repeats);
};

constexpr WrongTime kWrongTimes[] = {
    {"the time of all repeats is returned: divide it by their number",
     [](double right, double, double, int n) { return right * n; }},
    {"the first time is measured, too: the device loads the kernel's code then. It only warms up",
     [](double right, double cold, double, int n) { return (cold + right * n) / n; }},
    {"the first time is measured, too: it only warms up",
     [](double right, double cold, double, int n) { return (cold + right * (n - 1)) / n; }},
    {"the first time is measured, too, and counted as one of num_repeats + 1",
     [](double right, double cold, double, int n) { return (cold + right * n) / (n + 1); }},
    {"the events are in another stream than the work, or the stage is not between its events",
     [](double, double, double, int) { return 0.0; }},
    {"the events of the stage are the first and the last: all three stages are between them",
     [](double, double, double all, int) { return all; }},
    {"the events are exchanged: cudaEventElapsedTime(&elapsed_ms, start, stop)",
     [](double right, double, double, int) { return -right; }},
    {"the time is divided by one repeat too many: the first one only warms up",
     [](double right, double, double, int n) { return right * n / (n + 1); }},
    {"only one repeat is measured, and its time divided",
     [](double right, double, double, int n) { return right / n; }},
};

class StageTimesOf : public judge::Fixture {
 protected:
  std::optional<Failure> time(int num_items, int num_repeats) {
    begin_case();
    const double unit = 1e-6 * static_cast<double>(2 + next_seed() % 7);
    const wire::Posed posed = {.launch_ms = 0.25 * static_cast<double>(1 + next_seed() % 8),
                               .thread_ms = 5 * unit,
                               .byte_in_ms = 3 * unit,
                               .byte_out_ms = 4 * unit};
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
      failure->message = std::to_string(num_items) + " items, " + std::to_string(num_repeats) +
                         (num_repeats == 1 ? " repeat: " : " repeats: ") + failure->message;
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
    constexpr int kThreads = 256;  // of a block of the given kernel
    const double bytes = 4.0 * num_items;
    const int num_blocks = (num_items + kThreads - 1) / kThreads;
    const double threads = 1.0 * kThreads * num_blocks;
    const double by_threads = posed.thread_ms * threads;
    const double copy_in = posed.byte_in_ms * bytes;
    const double compute = posed.launch_ms + by_threads;
    const double copy_out = posed.byte_out_ms * bytes;
    const double cold = wire::kColdTimes * posed.launch_ms + by_threads;
    const double all = copy_in + compute + copy_out;
    struct Stage {
      const char* name;
      double right, cold;
      float got;
    };
    for (const Stage& stage : {Stage{"compute", compute, cold, got.compute},
                               Stage{"copy_in", copy_in, copy_in, got.copy_in},
                               Stage{"copy_out", copy_out, copy_out, got.copy_out}}) {
      const auto is = [&](double ms) {
        return std::abs(stage.got - ms) <= 1e-3 * std::abs(ms) + 1e-9;
      };
      if (is(stage.right)) continue;
      Failure failure{judge::kind::kWrongResult,
                      std::string(stage.name) + " takes " + text(stage.right) +
                          " by the device's clock, but " + text(stage.got) + " is returned"};
      for (const WrongTime& wrong : kWrongTimes) {
        if (!is(wrong.ms(stage.right, stage.cold, all, num_repeats))) continue;
        (failure.pattern.empty() ? failure.pattern : failure.other_patterns.emplace_back()) =
            wrong.clause;
      }
      for (const double other : {copy_in, compute, copy_out}) {
        if (failure.pattern.empty() && is(other)) {
          failure.pattern = "it is the time of another stage";
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
