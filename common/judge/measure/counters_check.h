// SPDX-License-Identifier: MIT
// Checks by the counters that kernels did the work.
#pragma once

#include <optional>
#include <vector>

#include "process/submission.h"

namespace judge {

// Why kernels cannot have done the work of a call that gave the right result, or nothing.
// bytes_needed: roughly what the kernels must have read and written.
std::optional<Failure> find_work_of_host(const std::vector<wire::KernelCounters>& kernels,
                                         double bytes_needed);

}  // namespace judge
