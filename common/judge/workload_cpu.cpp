// SPDX-License-Identifier: MIT
#include "workload.h"

namespace judge {

double fill_integers_and_sum(float* d_items, std::size_t count, std::uint64_t seed, int limit) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    d_items[i] = random_integer(seed, i, limit);
    sum += static_cast<double>(d_items[i]);
  }
  return sum;
}

}  // namespace judge
