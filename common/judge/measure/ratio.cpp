// SPDX-License-Identifier: MIT
#include "measure/ratio.h"

#include <algorithm>
#include <cstddef>

namespace judge {

Ratio summarize(std::vector<double> per_round) {
  std::ranges::sort(per_round);
  const auto at = [&](double quantile) {
    const double position = quantile * static_cast<double>(per_round.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, per_round.size() - 1);
    const double weight = position - static_cast<double>(below);
    return per_round[below] * (1 - weight) + per_round[above] * weight;
  };
  return {at(0.5), at(0.25), at(0.75)};
}

}  // namespace judge
