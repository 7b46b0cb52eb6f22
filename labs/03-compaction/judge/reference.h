// SPDX-License-Identifier: MIT
// The right result of a compaction, and what is wrong with another one.
#pragma once

#include <optional>
#include <vector>

#include "compaction.cuh"
#include "process/submission.h"

namespace lab_judge {

using judge::Failure;

// One call's input and output. h_out has room for every item; unwritten places hold poison.
struct Compaction {
  const std::vector<int>& h_in;
  lab::Predicate keep;
  const std::vector<int>& h_out;
  int count;
};

// Nothing, if the result is right.
std::optional<Failure> check_compact(const Compaction& result);
std::optional<Failure> check_partition(const Compaction& result);
std::optional<Failure> check_unordered(const Compaction& result);

}  // namespace lab_judge
