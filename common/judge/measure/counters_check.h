// SPDX-License-Identifier: MIT
// Checks that kernels did the work. The device's counters come from the process that runs the
// student's code, so they must also agree with each other.
#pragma once

#include <optional>
#include <vector>

#include "process/submission.h"

namespace judge {

// Why the counters of a call that gave the right result cannot be true, or nothing.
// bytes_needed: roughly what the kernels must have read and written.
std::optional<Failure> find_impossible(const std::vector<wire::KernelCounters>& kernels,
                                       double bytes_needed);

// The same of counters that are trusted.
std::optional<Failure> find_work_of_host(const std::vector<wire::KernelCounters>& kernels,
                                         double bytes_needed);

}  // namespace judge
