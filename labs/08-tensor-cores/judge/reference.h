// SPDX-License-Identifier: MIT
// The judge's reference for a product of two matrices: its value, its error bound, and the
// comparison with a result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "process/submission.h"

namespace lab_judge {

// What the factors are: of matmul_bf16, matmul_split and matmul_e4m3.
enum class Format { kBf16, kSplit, kE4m3 };

// All three are multiples of kMultiple.
inline constexpr int kMultiple = 16;
struct Shape {
  int num_rows = 0;
  int num_cols = 0;
  int depth = 0;
};
std::string text(const Shape& shape);  // "a 32 x 16 matrix times a 16 x 64 matrix"

// Row-major matrices on the host. Every number is one of its format.
struct Factors {
  Format format = Format::kBf16;
  Shape shape;
  std::vector<float> h_a;         // (num_rows, depth)
  std::vector<float> h_b;         // (depth, num_cols)
  std::vector<float> h_a_scales;  // (num_rows), of kE4m3 alone, as the next
  std::vector<float> h_b_scales;  // (num_cols)

  double a_scale(std::size_t row) const { return h_a_scales.empty() ? 1 : h_a_scales[row]; }
  double b_scale(std::size_t col) const { return h_b_scales.empty() ? 1 : h_b_scales[col]; }
};

// The product in double, and for each element the error that it may have.
struct Expected {
  std::vector<double> values;   // (num_rows, num_cols)
  std::vector<double> allowed;  // (num_rows, num_cols); empty: the product is exact in float
};
Expected exact_product(const Factors& factors);    // where all sums are exact
Expected rounded_product(const Factors& factors);  // else

// The contract's bound: how far an element may be off, over the sum of its terms' magnitudes.
double error_bound(Format format, int depth);

// Compares h_c (num_rows, num_cols) with what is expected. Returns what is wrong, with the element,
// its place in the matrix, and the mistake that all wrong elements look like, if there is one.
std::optional<judge::Failure> compare(const Factors& factors, const Expected& expected,
                                      const std::vector<float>& h_c);

}  // namespace lab_judge
