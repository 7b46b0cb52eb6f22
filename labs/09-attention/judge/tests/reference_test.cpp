// SPDX-License-Identifier: MIT
// The comparison accepts what the contract allows, and nothing beyond; mistakes get their names.
#include "reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace lab_judge {
namespace {

class CompareAttention : public ::testing::TestWithParam<Kind> {
 protected:
  static std::vector<float> as_floats(const std::vector<double>& outputs) {
    return {outputs.begin(), outputs.end()};
  }
  static Shape shape_of(int num_queries, int num_keys) {
    return {2, GetParam() == Kind::kCausal ? num_keys : num_queries, num_keys};
  }
};

// A float is much finer than each of the bounds.
TEST_P(CompareAttention, AcceptsAnErrorJustBelowTheBoundAndNoneJustAboveIt) {
  for (const Shape& shape : {shape_of(1, 1), shape_of(5, 40), shape_of(20, 300)}) {
    const Problem problem = random_problem(GetParam(), shape, 7);
    const Expected expected = attend(problem);
    const std::size_t element = expected.outputs.size() - 5;
    for (const double direction : {-1.0, 1.0}) {
      std::vector<double> outputs = expected.outputs;
      outputs[element] += 0.98 * direction * expected.allowed[element];
      EXPECT_FALSE(compare(problem, expected, as_floats(outputs)));
      outputs[element] = expected.outputs[element] + 1.02 * direction * expected.allowed[element];
      EXPECT_TRUE(compare(problem, expected, as_floats(outputs)));
    }
  }
}

// What a rung would get wrong that took `seen` for the problem.
std::string pattern_of(const Problem& problem, const Problem& seen) {
  const Expected got = attend(seen);
  const std::vector<float> h_out(got.outputs.begin(), got.outputs.end());
  const auto failure = compare(problem, attend(problem), h_out);
  return failure ? failure->pattern : "no failure";
}

TEST_P(CompareAttention, NamesAMissingScale) {
  const Problem problem = random_problem(GetParam(), shape_of(9, 40), 8);
  Problem seen = problem;
  for (float& number : seen.h_q) number *= std::sqrt(float{lab::kHeadSize});
  EXPECT_EQ(pattern_of(problem, seen), "the scores are not divided by sqrt(kHeadSize)");
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompareAttention,
                         ::testing::Values(Kind::kFused, Kind::kCausal, Kind::kBf16));

TEST(ExplainAttention, NamesAMissingMask) {
  const Problem problem = random_problem(Kind::kCausal, {1, 70, 70}, 9);
  Problem seen = problem;
  seen.kind = Kind::kFused;
  EXPECT_EQ(pattern_of(problem, seen), "the keys after a query are not masked");
}

TEST(ExplainAttention, NamesKeysPastTheEnd) {
  const Problem problem = random_problem(Kind::kFused, {1, 9, 70}, 9);
  Problem seen = problem;
  seen.shape.num_keys = 128;
  seen.h_k.resize(128 * lab::kHeadSize);
  seen.h_v.resize(128 * lab::kHeadSize);
  EXPECT_EQ(pattern_of(problem, seen), "zeros past the last key take part as keys of score 0");
}

}  // namespace
}  // namespace lab_judge
