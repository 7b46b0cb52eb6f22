// SPDX-License-Identifier: MIT
// The judge's reference: outputs in double, the contract's error bound, and the comparison.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data.h"
#include "process/submission.h"

namespace lab_judge {

// What each row, an output of a head, should be.
struct Expected {
  std::vector<double> outputs;  // (num_heads, num_queries, kHeadSize)
  std::vector<double> allowed;  // the same; by how much each may be off
};
Expected attend(const Problem& problem);

// The contract's 2 delta + rho, of a query with `num_keys` keys. largest: M.
LOCKSTEP_HOST_DEVICE constexpr double error_bound(bool is_bf16, int num_keys, double largest) {
  constexpr double kUnit = 0x1p-24;  // u
  const double delta = (3 * lab::kHeadSize + 8) * kUnit * largest;
  const double rho = (5.0 * num_keys + 32) * kUnit + (is_bf16 ? 0x1p-7 + 0x1p-15 : 0);
  return 2 * delta + rho;
}

// Compares h_out with what is expected. Returns what is wrong, with the place of the first wrong
// element and the mistake that the wrong rows look like, if there is one.
std::optional<judge::Failure> compare(const Problem& problem, const Expected& expected,
                                      const std::vector<float>& h_out);

}  // namespace lab_judge
