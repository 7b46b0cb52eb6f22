// SPDX-License-Identifier: MIT
// Compares the launches of two counted calls. Budgets of a look-back take some measures from one
// call and some from the other, so both must show the same algorithm.
#pragma once

#include <optional>
#include <vector>

#include "process/submission.h"

namespace judge {

// What was launched in one counted call.
struct CountedCall {
  double num_items = 0;
  const std::vector<wire::KernelCounters>& kernels;
};

// Says which kernels one call launches more often than the other, if there are any. Instances of a
// template are one kernel: a rung may choose another tile for another size.
std::optional<Failure> find_other_launches(const CountedCall& first, const CountedCall& second);

}  // namespace judge
