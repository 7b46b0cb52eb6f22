// SPDX-License-Identifier: MIT
// Counters come from the process that the student's code runs in: they are held against each other
// and against what the call cannot have done without.
#pragma once

#include <optional>
#include <vector>

#include "process/submission.h"

namespace judge {

// Why the counters of a call that gave the right result cannot be true, or nothing.
// bytes_needed: that the kernels must have read and written, about.
std::optional<Failure> find_impossible(const std::vector<wire::KernelCounters>& kernels,
                                       double bytes_needed);

}  // namespace judge
