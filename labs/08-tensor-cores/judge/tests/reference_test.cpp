// SPDX-License-Identifier: MIT
// The comparison accepts what the contract allows, and nothing beyond; mistakes get their names.
#include "reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data.h"

namespace lab_judge {
namespace {

class Compare : public ::testing::TestWithParam<Format> {
 protected:
  std::vector<float> as_floats(const std::vector<double>& values) const {
    return {values.begin(), values.end()};
  }
  std::string pattern_of(const Factors& factors, const std::vector<double>& got) const {
    const auto failure = compare(factors, exact_product(factors), as_floats(got));
    return failure ? failure->pattern : "no failure";
  }
};

// A float is much finer than each of the bounds.
TEST_P(Compare, AcceptsAnErrorJustBelowTheBoundAndNoneJustAboveIt) {
  for (const Shape& shape : {Shape{16, 16, 16}, Shape{32, 48, 512}}) {
    const Factors factors = random_reals(GetParam(), shape, 7);
    const Expected expected = rounded_product(factors);
    const std::size_t element = expected.values.size() - 5;
    for (const double direction : {-1.0, 1.0}) {
      std::vector<double> values = expected.values;
      values[element] += 0.98 * direction * expected.allowed[element];
      EXPECT_FALSE(compare(factors, expected, as_floats(values)));
      values[element] = expected.values[element] + 1.02 * direction * expected.allowed[element];
      EXPECT_TRUE(compare(factors, expected, as_floats(values)));
    }
  }
}

TEST_P(Compare, AcceptsNoErrorOfIntegers) {
  const Factors factors = random_integers(GetParam(), {32, 16, 48}, 8);
  const Expected expected = exact_product(factors);
  std::vector<double> values = expected.values;
  EXPECT_FALSE(compare(factors, expected, as_floats(values)));
  values[40] += factors.a_scale(40 / 16) * factors.b_scale(40 % 16);
  EXPECT_TRUE(compare(factors, expected, as_floats(values)));
}

TEST_P(Compare, NamesSwappedWords) {
  Factors factors = random_integers(GetParam(), {32, 32, 64}, 9);
  const int half = GetParam() == Format::kE4m3 ? 16 : 8;
  Factors read = factors;  // as a wrong kernel reads B
  for (int k = 0; k < 64; ++k) {
    for (int col = 0; col < 32; ++col) read.h_b[k * 32 + col] = factors.h_b[(k ^ half) * 32 + col];
  }
  EXPECT_NE(pattern_of(factors, exact_product(read).values).find("two words of B"),
            std::string::npos);
}

TEST_P(Compare, NamesAMissingTile) {
  const Factors factors = random_integers(GetParam(), {16, 16, 80}, 10);
  Factors cut = factors;
  for (int row = 0; row < 16; ++row) {
    for (int k = 64; k < 80; ++k) cut.h_a[row * 80 + k] = 0;
  }
  EXPECT_NE(pattern_of(factors, exact_product(cut).values).find("partial tile"), std::string::npos);
}

// B moves columns, and A's words 0 and 3 take the place of words 2 and 1: every wrong element is
// what a B with exchanged words would give, but B is right.
TEST_P(Compare, NamesNoMistakeThatRightElementsContradict) {
  const int half = GetParam() == Format::kE4m3 ? 16 : 8;
  const int depth = 2 * half;
  Factors factors = random_integers(GetParam(), {16, 16, depth}, 11);
  for (int k = 0; k < depth; ++k) {
    for (int col = 0; col < 16; ++col) factors.h_b[k * 16 + col] = k == (col + 1) % depth ? 1 : 0;
  }
  Factors read = factors;
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < depth; ++k) {
      const int read_k = k % half + (row < 8 ? 0 : half);
      read.h_a[row * depth + k] = factors.h_a[row * depth + read_k];
    }
  }
  EXPECT_EQ(pattern_of(factors, exact_product(read).values), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, Compare,
                         ::testing::Values(Format::kBf16, Format::kSplit, Format::kE4m3));

}  // namespace
}  // namespace lab_judge
