// SPDX-License-Identifier: MIT
// The right results, by the definition of stability: equal items keep the order of the inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "merge.cuh"

namespace lab_judge {

using Items = std::vector<lab::Fraction>;

inline bool comes_before(lab::Order order, const lab::Fraction& x, const lab::Fraction& y) {
  return order == lab::Order::kByValue ? lab::ByValue()(x, y)
                                       : lab::LargestDenominatorFirst()(x, y);
}

// Sorts each run of `run_items` items by itself; the last run may be shorter.
inline Items sorted(Items items, lab::Order order, std::size_t run_items) {
  for (std::size_t begin = 0; begin < items.size(); begin += run_items) {
    const std::size_t end = std::min(begin + run_items, items.size());
    std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(begin),
                     items.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const auto& x, const auto& y) { return comes_before(order, x, y); });
  }
  return items;
}

}  // namespace lab_judge
