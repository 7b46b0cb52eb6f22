// SPDX-License-Identifier: MIT
// Checks counters, because they come from the process that runs the student's code: they must agree
// with each other and with the least that the call must have done.
#pragma once

#include <optional>
#include <vector>

#include "process/submission.h"

namespace judge {

// Why the counters of a call that gave the right result cannot be true, or nothing.
// bytes_needed: roughly what the kernels must have read and written.
std::optional<Failure> find_impossible(const std::vector<wire::KernelCounters>& kernels,
                                       double bytes_needed);

}  // namespace judge
