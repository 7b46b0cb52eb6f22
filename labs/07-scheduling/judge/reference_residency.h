// SPDX-License-Identifier: MIT
// The right result of rung 01, and the results of typical mistakes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scheduling.cuh"

namespace lab_judge {

// One call: a kernel on an SM.
struct Launch {
  std::string machine;  // "Fermi (2.0)"
  lab::SmLimits sm;
  lab::KernelResources kernel;
};

// Blocks by each limit alone, in the order of lab::Limiter.
using Limits = std::array<int, 4>;
inline constexpr int kNoLimit = 1 << 30;

Limits limits(const Launch& launch);
lab::Residency residency(const Launch& launch);

// "threads" for kThreads, and so on; the number where it is none of them.
std::string name(lab::Limiter limiter);

// Parts of the result, in the order in which they are checked.
enum class Part { kNumBlocks, kNumWarps, kLimiter, kOccupancy };
bool same(Part part, const lab::Residency& left, const lab::Residency& right);

// A clause that completes "It looks as if ...", or nothing: the mistake that gives exactly this
// part of all results.
std::string explain(Part part, const std::vector<Launch>& launches,
                    const std::vector<lab::Residency>& results);

}  // namespace lab_judge
