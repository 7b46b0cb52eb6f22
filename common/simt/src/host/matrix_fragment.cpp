// SPDX-License-Identifier: MIT
#include "simt/matrix_fragment.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace simt {
namespace {

// Two such numbers have an exact product, so that it need not be fused with the sum: std::fma() is
// a call where the processor may be an old one.
bool are_floats(const double* values, int count) {
  return std::all_of(values, values + count, [](double value) {
    return static_cast<double>(static_cast<float>(value)) == value;
  });
}

template <class MultiplyAdd>
void multiply(const double* a, const double* b, double* c, int rows, int columns, int depth,
              MultiplyAdd multiply_add) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < depth; ++i) {
      const double factor = a[row * depth + i];
      for (int column = 0; column < columns; ++column) {
        double& sum = c[row * columns + column];
        sum = multiply_add(factor, b[i * columns + column], sum);
      }
    }
  }
}

}  // namespace

void multiply_tiles(const double* a, const double* b, double* c, int rows, int columns, int depth) {
  if (are_floats(a, rows * depth) && are_floats(b, depth * columns)) {
    multiply(a, b, c, rows, columns, depth, [](double x, double y, double z) { return x * y + z; });
  } else {
    multiply(a, b, c, rows, columns, depth,
             [](double x, double y, double z) { return std::fma(x, y, z); });
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
