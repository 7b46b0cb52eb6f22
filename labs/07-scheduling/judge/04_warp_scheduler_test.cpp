// SPDX-License-Identifier: MIT
// Rung 04: which warp issues in which cycle. The last test writes pictures.
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "fixture.h"
#include "fixture/record.h"
#include "picture.h"
#include "picture/png.h"
#include "reference_scheduler.h"

namespace lab_judge {
namespace {

using lab::Instruction;
using lab::Policy;

constexpr Policy kPolicies[] = {Policy::kRoundRobin, Policy::kGreedyThenOldest};

std::string name(Policy policy) {
  return policy == Policy::kRoundRobin ? "kRoundRobin" : "kGreedyThenOldest";
}

std::string name_warp(int warp) {
  return warp == lab::kIdle ? "kIdle" : "warp " + std::to_string(warp);
}

// One character per cycle: a warp, or a dot.
char letter(int warp) {
  constexpr std::string_view kLetters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (warp == lab::kIdle) return '.';
  return warp >= 0 && warp < static_cast<int>(kLetters.size()) ? kLetters[warp] : '?';
}

// Some cycles around one of them.
std::string excerpt(const std::vector<int>& timeline, int around) {
  constexpr int kBefore = 40;
  constexpr int kAfter = 20;
  const int begin = std::max(0, around - kBefore);
  const int end = std::min(static_cast<int>(timeline.size()), around + kAfter);
  std::string text = begin > 0 ? "..." : "";
  for (int cycle = begin; cycle < end; ++cycle) text += letter(timeline[cycle]);
  return text + (end < static_cast<int>(timeline.size()) ? "..." : "");
}

// "warp 0 arrives in cycle 3: 1/4 2/9" for a few instructions; nothing for many.
std::string text(const Program& program) {
  if (program.instructions.size() > 16) return {};
  std::string text = "\nissue cycles/latency:";
  for (std::size_t i = 0; i < program.warps.size(); ++i) {
    const lab::Warp& warp = program.warps[i];
    text += "\n  warp " + std::to_string(i) + ", from cycle " + std::to_string(warp.arrival) + ":";
    for (int k = 0; k < warp.num_instructions; ++k) {
      const Instruction& each = program.instructions[warp.first_instruction + k];
      text += " " + std::to_string(each.issue_cycles) + "/" + std::to_string(each.latency);
    }
  }
  return text;
}

class WarpScheduler : public HostFixture {
 protected:
  // Runs the rung; `timeline` receives what it wrote.
  std::optional<Failure> run_schedule(Policy policy, const Program& program, Timeline& timeline) {
    begin_case();
    const auto h_warps = input("h_warps", program.warps);
    const auto h_instructions = input("h_instructions", program.instructions);
    const auto h_timeline = output<int>("h_timeline", room_for(program));
    const auto h_schedule = output<lab::Schedule>("the result", 1);
    auto failure = call<decltype(lab::schedule_warps)>(
        "schedule_warps", policy, on_host(h_warps), static_cast<int>(program.warps.size()),
        on_host(h_instructions), on_host(h_timeline), on_host(h_schedule));
    if (!failure) {
      const lab::Schedule counts = h_schedule.download()[0];
      timeline = {h_timeline.download(), counts.num_cycles, counts.num_idle};
      while (!timeline.cycles.empty() && judge::is_poison(timeline.cycles.back())) {
        timeline.cycles.pop_back();  // never written
      }
      failure = compare(policy, program, timeline);
    }
    if (failure) tell_case(*failure, name(policy) + ": ");
    return failure;
  }

  std::optional<Failure> run_schedule(Policy policy, const Program& program) {
    Timeline timeline;
    return run_schedule(policy, program, timeline);
  }

  void expect_both(const Program& program) {
    for (const Policy policy : kPolicies) {
      if (const auto failure = run_schedule(policy, program)) return fail(*failure);
    }
  }

  // A warp of 1 to `most` instructions, short ones and long ones.
  std::vector<Instruction> some_instructions(int most) {
    std::vector<Instruction> instructions(some(1, most));
    for (Instruction& each : instructions) {
      each.issue_cycles = some(1, 4);
      each.latency = each.issue_cycles + (some(0, 1) == 0 ? some(0, 2) : some(3, 40));
    }
    return instructions;
  }

  Program some_program(int num_warps, int latest_arrival = 0) {
    Program program;
    for (int warp = 0; warp < num_warps; ++warp) {
      program.add(some(0, latest_arrival), some_instructions(8));
    }
    return program;
  }

 private:
  static std::optional<Failure> compare(Policy policy, const Program& program,
                                        const Timeline& got) {
    const Timeline right = schedule(policy, program);
    if (got == right) return std::nullopt;
    Failure failure{judge::kind::kWrongResult, "", explain(policy, program, got)};
    const int cycle = first_difference(got.cycles, right.cycles);
    if (cycle < 0) {
      failure.message = "h_timeline is right, ";
      failure.message += got.num_cycles != right.num_cycles
                             ? "num_cycles: " + expected_got(right.num_cycles, got.num_cycles)
                             : "num_idle: " + expected_got(right.num_idle, got.num_idle);
      failure.message += text(program);
      return failure;
    }
    failure.message = "cycle " + std::to_string(cycle) + ": ";
    if (cycle == static_cast<int>(right.cycles.size())) {
      failure.message += "all is done, but h_timeline goes on";
    } else {
      const bool is_written =
          cycle < static_cast<int>(got.cycles.size()) && !judge::is_poison(got.cycles[cycle]);
      // num_cycles includes this cycle, but nothing was written there.
      if (!is_written && cycle < got.num_cycles) failure.kind = judge::kind::kOutputUnwritten;
      failure.message +=
          "expected " + name_warp(right.cycles[cycle]) +
          (is_written ? ", got " + name_warp(got.cycles[cycle]) : ", but it was never written") +
          " (the first difference, " + situation(policy, program, cycle) + ")";
    }
    failure.message += "\nexpected " + excerpt(right.cycles, cycle) + "\ngot      " +
                       excerpt(got.cycles, cycle) + text(program);
    return failure;
  }
};

// Three warps of the handout, of which the last arrives first.
Program handouts_warps() {
  Program program;
  program.add(2, {{2, 2}, {2, 8}, {2, 2}, {2, 6}});
  program.add(1, {{2, 2}, {2, 8}, {2, 2}, {2, 6}});
  program.add(0, {{2, 2}, {2, 8}, {2, 2}, {2, 6}});
  return program;
}

TEST_F(WarpScheduler, TakesTurnsAsInTheHandout) {
  if (const auto failure = run_schedule(Policy::kRoundRobin, handouts_warps())) {
    return fail(*failure);
  }
  if (const auto failure = run_schedule(Policy::kRoundRobin, some_program(3))) fail(*failure);
}

TEST_F(WarpScheduler, IsGreedyAsInTheHandout) {
  if (const auto failure = run_schedule(Policy::kGreedyThenOldest, handouts_warps())) {
    return fail(*failure);
  }
  if (const auto failure = run_schedule(Policy::kGreedyThenOldest, some_program(3))) fail(*failure);
}

TEST_F(WarpScheduler, WaitsForAWarpsOwnResults) {
  expect_both(some_program(1));
  if (!HasFailure()) expect_both(some_program(1, 20));
}

TEST_F(WarpScheduler, TakesTurns) {
  expect_for_sizes({2, 3, 5, 8, 13, 31}, [&](int num_warps) {
    return run_schedule(Policy::kRoundRobin, some_program(num_warps));
  });
}

TEST_F(WarpScheduler, IsGreedyThenOldest) {
  expect_for_sizes({2, 3, 5, 8, 13, 31}, [&](int num_warps) {
    return run_schedule(Policy::kGreedyThenOldest, some_program(num_warps, 3 * num_warps));
  });
}

TEST_F(WarpScheduler, TakesTurnsAmongWarpsThatArriveLater) {
  expect_for_sizes({2, 3, 5, 8, 13, 31}, [&](int num_warps) {
    return run_schedule(Policy::kRoundRobin, some_program(num_warps, 60));
  });
}

// Many warps of the same age, and a long time without any.
TEST_F(WarpScheduler, AcceptsWarpsOfOneAge) {
  for (const int arrival : {0, 50}) {
    Program program;
    for (int warp = 0; warp < 9; ++warp) program.add(arrival, some_instructions(5));
    expect_both(program);
    if (HasFailure()) return;
  }
}

TEST_F(WarpScheduler, AcceptsWarpsWithoutInstructions) {
  Program program = some_program(2);
  program.add(1, {});
  program.add(0, some_instructions(4));
  program.add(500, {});  // no warp waits for it
  expect_both(program);
  if (HasFailure()) return;
  Program nothing;
  nothing.add(3, {});
  expect_both(nothing);
  if (!HasFailure()) expect_both({});
}

// Rung 02's numbers: 4 multiply-adds of 4 cycles each, then 200 cycles of latency. 13 warps leave
// 8 cycles per round idle, 14 leave none.
TEST_F(WarpScheduler, HidesLatencyByWarps) {
  for (const int num_warps : {1, 4, 13, 14, 24}) {
    Program program;
    for (int warp = 0; warp < num_warps; ++warp) {
      std::vector<Instruction> of_warp;
      for (int round = 0; round < 5; ++round) {
        of_warp.insert(of_warp.end(), {{4, 4}, {4, 4}, {4, 4}, {4, 204}});
      }
      program.add(0, of_warp);
    }
    expect_both(program);
    if (HasFailure()) return;
  }
}

TEST_F(WarpScheduler, SchedulesManyWarps) {
  Program program;
  for (int warp = 0; warp < 60; ++warp) program.add(some(0, 400), some_instructions(60));
  expect_both(program);
}

TEST_F(WarpScheduler, DrawsItsTimelines) {
  Program program;
  for (int warp = 0; warp < 6; ++warp) {
    program.add(some(0, 9), {{some(1, 3), 3}, {2, some(2, 4)}, {1, some(9, 30)}, {some(1, 4), 6}});
  }
  std::vector<judge::Image> images;
  std::optional<Failure> first;
  for (const Policy policy : kPolicies) {
    Timeline timeline;
    auto failure = run_schedule(policy, program, timeline);
    // A picture also helps with a wrong schedule; there is none without a schedule.
    if (!judge::options().images.empty() && !timeline.cycles.empty()) {
      const std::string label =
          policy == Policy::kRoundRobin ? "round robin" : "greedy then oldest";
      std::string file = judge::options().rung + "." + label + ".png";
      std::ranges::replace(file, ' ', '_');
      const std::vector<int> expected = schedule(policy, program).cycles;
      // Whatever was written, the picture stays readable.
      if (timeline.cycles.size() > 3 * expected.size()) timeline.cycles.resize(3 * expected.size());
      const Picture picture =
          draw_timelines(timeline.cycles, expected, static_cast<int>(program.warps.size()));
      judge::write_png(std::filesystem::path(judge::options().images) / file, picture.rgb,
                       picture.width, picture.height);
      images.push_back({label, file});
    }
    if (failure && !first) first = std::move(failure);
    if (is_fatal()) break;
  }
  judge::record_images(images);
  if (first) fail(*first);
}

}  // namespace
}  // namespace lab_judge
