// SPDX-License-Identifier: MIT
// Rungs 01 to 04, and 07: the product of bfloat16 matrices.
#include <cmath>
#include <limits>
#include <vector>

#include "fixture.h"

namespace lab_judge {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class MatmulBf16 : public ProductFixture {
 protected:
  MatmulBf16() : ProductFixture(Format::kBf16) {}
};

// The handout's example: one factor numbers its elements, row by row, and the other moves columns,
// or rows, one place round. So an element of C names the element that reached it.
Factors numbered_times_shift() {
  Factors factors{Format::kBf16, {16, 16, 16}, {}, {}, {}, {}};
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 16; ++col) {
      factors.h_a.push_back(static_cast<float>(16 * row + col));
      factors.h_b.push_back(row == (col + 1) % 16 ? 1.0F : 0.0F);
    }
  }
  return factors;
}

TEST_F(MatmulBf16, FollowsTheWorkedExample) {
  const Factors right = numbered_times_shift();
  if (const auto failure = multiply(right, exact_product(right))) return fail(*failure);
  Factors left = right;
  std::swap(left.h_a, left.h_b);
  if (const auto failure = multiply(left, exact_product(left))) return fail(*failure);
}

TEST_F(MatmulBf16, MultipliesWholeTiles) { multiplies_whole_tiles(); }
TEST_F(MatmulBf16, MultipliesPartialTiles) { multiplies_partial_tiles(); }
TEST_F(MatmulBf16, MultipliesAnyShape) { multiplies_any_shape(); }
TEST_F(MatmulBf16, GivesZeroForDepthZero) { gives_zero_for_depth_zero(); }
TEST_F(MatmulBf16, WritesNothingWithoutRowsOrColumns) { writes_nothing_without_rows_or_columns(); }
TEST_F(MatmulBf16, StaysWithinTheErrorBound) { stays_within_the_error_bound(); }
TEST_F(MatmulBf16, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(MatmulBf16, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

// A block that takes tile after tile takes several.
TEST_F(MatmulBf16, WorksOnFewMultiprocessors) {
  expect_in_any_order(3, [&](int round) {
    num_multiprocessors_ = 1 + round;
    return multiply_integers({272, 528, 80});
  });
}

TEST_F(MatmulBf16, KeepsNotANumberInItsPlace) {
  for (const float special : {kNotANumber, kInfinity}) {
    Factors factors = random_integers(Format::kBf16, {80, 144, 48}, next_seed());
    const auto [num_rows, num_cols, depth] = factors.shape;
    // In the last column of A and the first row of B: next to the edges of tiles.
    const auto row = next_seed() % num_rows;
    const auto col = next_seed() % num_cols;
    factors.h_a[row * depth + depth - 1] = special;
    factors.h_b[col] = special;
    if (auto failure = multiply(factors, exact_product(factors))) {
      failure->message += "\nRow " + std::to_string(row) + " of A and column " +
                          std::to_string(col) + " of B hold " +
                          (std::isnan(special) ? "a NaN" : "an infinity") +
                          "; it affects only that row and that column of C.";
      return fail(*failure);
    }
  }
}

}  // namespace
}  // namespace lab_judge
