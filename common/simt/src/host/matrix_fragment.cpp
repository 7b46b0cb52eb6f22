// SPDX-License-Identifier: MIT
#include "simt/matrix_fragment.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace simt {

void multiply_tiles(const double* a, const double* b, double* c, int rows, int columns, int depth) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < depth; ++i) {
      const double factor = a[row * depth + i];
      for (int column = 0; column < columns; ++column) {
        double& sum = c[row * columns + column];
        sum = std::fma(factor, b[i * columns + column], sum);
      }
    }
  }
}

void copy_elements(void* to, const void* from, std::size_t size_bytes) {
  std::memcpy(to, from, size_bytes);
}

int integer_sum(double sum, bool is_saturated) {
  if (is_saturated) {
    return static_cast<int>(
        std::clamp<double>(sum, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }
  return static_cast<int>(static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
}

}  // namespace simt
