// SPDX-License-Identifier: MIT
// The judge's reference for a product of two matrices: its value, its error bound, and an
// explanation of a wrong result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "process/submission.h"

namespace lab_judge {

struct Shape {
  int num_rows = 0;
  int num_cols = 0;
  int depth = 0;
};
std::string text(const Shape& shape);  // "a 3 x 5 matrix times a 5 x 7 matrix"

// Row-major matrices on the host.
struct Factors {
  Shape shape;
  std::vector<float> h_a;  // (num_rows, depth)
  std::vector<float> h_b;  // (depth, num_cols)
};

inline constexpr int kLargeLimit = 4095;  // of integers: 12 bits, one more than half and TF32 keep

// Random integers, so large that one factor fills 12 bits, and so small that every sum of products
// is exact in float: the magnitudes of an element's terms add up to less than 2^24. Either A or B
// has the large ones, by the seed. Half and TF32, which keep 11 bits, cannot hold them.
Factors random_integers(const Shape& shape, std::uint64_t seed);
// Real numbers in [0, 4), with all bits of a float in play.
Factors random_reals(const Shape& shape, std::uint64_t seed);

// The product in double, and for each element the sum of its terms' magnitudes.
struct Expected {
  std::vector<double> values;      // (num_rows, num_cols)
  std::vector<double> magnitudes;  // (num_rows, num_cols); empty: the product is exact in float
};
Expected exact_product(const Factors& factors);    // of integers as above
Expected rounded_product(const Factors& factors);  // of real numbers

// Compares h_c (num_rows, num_cols) with what is expected. Returns what is wrong, with the element,
// its place in the matrix, and the mistake that all wrong elements look like, if there is one.
std::optional<judge::Failure> compare(const Factors& factors, const Expected& expected,
                                      const std::vector<float>& h_c);

}  // namespace lab_judge
