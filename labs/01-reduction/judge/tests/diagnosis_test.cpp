// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "fixture/test_data.h"
#include "measure/speed.h"

namespace {

class Diagnose : public ::testing::Test {
 protected:
  // The clause for a sum of `num_items` random items that came out as `got`.
  std::string clause(double got, bool reads_past_the_end = true) {
    const auto all = clauses(got, reads_past_the_end);
    return all.empty() ? "" : all.front();
  }
  std::vector<std::string> clauses(double got, bool reads_past_the_end = true) {
    return lab_judge::explain({h_in_.size(), got, sum(0, h_in_.size()), 1e9, reads_past_the_end,
                               [&](std::size_t begin, std::size_t end) { return sum(begin, end); },
                               std::plus<double>()});
  }
  double sum(std::size_t begin, std::size_t end) const {
    return std::accumulate(h_in_.begin() + begin, h_in_.begin() + end, 0.0);
  }
  const std::vector<float> h_in_ = judge::random_integers(3, 1000, 1000);
};

TEST_F(Diagnose, NamesADroppedTail) {
  EXPECT_NE(clause(sum(0, 768)).find("tail is dropped"), std::string::npos);
}
TEST_F(Diagnose, NamesTheFirstBlockOnly) {
  EXPECT_NE(clause(sum(0, 256)).find("only the first block"), std::string::npos);
}
TEST_F(Diagnose, NamesPowerOfTwoLengths) {
  EXPECT_NE(clause(sum(0, 512)).find("power-of-two"), std::string::npos);
}
TEST_F(Diagnose, NamesOffByOne) {
  EXPECT_NE(clause(sum(0, 999)).find("last item is missing"), std::string::npos);
  EXPECT_NE(clause(sum(1, 1000)).find("first item is missing"), std::string::npos);
}
TEST_F(Diagnose, NamesItemsReadPastTheEnd) {
  EXPECT_NE(clause(sum(0, 1000) + 24 * 1e9).find("past the end"), std::string::npos);
}
TEST_F(Diagnose, NamesAnOutputThatNothingSet) {
  const double unset = sum(0, 1000) + 1e9;
  EXPECT_EQ(clause(unset, false), "d_out[0] was never set to 0 before the first addition");
  EXPECT_NE(clause(unset).find("or the item right past the end"), std::string::npos);
  EXPECT_EQ(clause(sum(0, 1000) + 24 * 1e9, false), "");
}
TEST_F(Diagnose, NamesAForgottenBlockIndex) {
  EXPECT_NE(clause(4 * sum(0, 256)).find("is blockIdx missing"), std::string::npos);
}
TEST_F(Diagnose, NamesItemsCountedTwice) {
  EXPECT_NE(clause(2 * sum(0, 1000)).find("counted twice"), std::string::npos);
}
TEST_F(Diagnose, NamesATreeThatLacksAStep) {
  double halves = 0;  // of blocks of 256 items, and of the one block that adds their four sums
  for (std::size_t begin = 0; begin < 1000; begin += 256) halves += sum(begin, begin + 128);
  EXPECT_NE(clause(halves).find("only the first half of its items"), std::string::npos);
  double even = 0;
  for (std::size_t i = 0; i < 1000; i += 2) even += h_in_[i];
  EXPECT_NE(clause(even).find("only every second item"), std::string::npos);
}
TEST_F(Diagnose, LeavesOpenWhichOfSeveralMistakesItIs) {
  std::vector<std::string> found = clauses(sum(0, 512));
  ASSERT_EQ(found.size(), 4U);
  EXPECT_NE(found[0].find("power-of-two"), std::string::npos);
  EXPECT_NE(found[3].find("first half"), std::string::npos);
}
TEST_F(Diagnose, StaysSilentWhenNothingFits) { EXPECT_EQ(clause(sum(0, 1000) + 0.5), ""); }

TEST(Workload, IntegersStayWithinTheirLimitAndReachIt) {
  const auto items = judge::random_integers(1, 10000, 3);
  EXPECT_EQ(*std::min_element(items.begin(), items.end()), -3);
  EXPECT_EQ(*std::max_element(items.begin(), items.end()), 3);
}
TEST(Workload, DifferentSeedsGiveDifferentData) {
  EXPECT_NE(judge::random_units(1, 16), judge::random_units(2, 16));
}

TEST(Speed, SummaryIsMedianAndQuartiles) {
  const judge::Ratio ratio = judge::summarize({5, 1, 3, 2, 4});
  EXPECT_DOUBLE_EQ(ratio.median, 3);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 4);
}

}  // namespace
