// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace judge {

// The median of a figure over rounds, and its quartiles.
struct Ratio {
  double median = 0;
  double low = 0;
  double high = 0;
  double spread() const { return median == 0 ? 0 : (high - low) / median; }
};
Ratio summarize(std::vector<double> per_round);  // not empty

}  // namespace judge
