// SPDX-License-Identifier: MIT
// The right result of rung 04, and the results of typical mistakes.
#pragma once

#include <string>
#include <vector>

#include "scheduling.cuh"

namespace lab_judge {

// What is scheduled.
struct Program {
  std::vector<lab::Warp> warps;
  std::vector<lab::Instruction> instructions;

  // Appends a warp.
  void add(int arrival, const std::vector<lab::Instruction>& of_warp);
};

// The result; `cycles` is the timeline.
struct Timeline {
  std::vector<int> cycles;
  int num_cycles = 0;
  int num_idle = 0;
  bool operator==(const Timeline&) const = default;
};

Timeline schedule(lab::Policy policy, const Program& program);

// Cycles that a timeline of this program may fill, also of a scheduler that makes mistakes.
int room_for(const Program& program);

// A clause that completes "It looks as if ...", or nothing.
std::string explain(lab::Policy policy, const Program& program, const Timeline& got);

// Describes which warps were ready in a cycle of the right timeline, and which issued last before
// it.
std::string situation(lab::Policy policy, const Program& program, int cycle);

}  // namespace lab_judge
