// SPDX-License-Identifier: MIT
#include "fixture/test_data.h"

#include <gtest/gtest.h>

namespace judge {
namespace {

TEST(SeedSequence, DependsOnTheRunAndTheTestAlone) {
  SeedSequence seeds(7, "ExclusiveScan.WrapsModulo2To32");
  SeedSequence again(7, "ExclusiveScan.WrapsModulo2To32");
  const auto first = seeds.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, seeds.next());
  EXPECT_NE(first, SeedSequence(8, "ExclusiveScan.WrapsModulo2To32").next());
  EXPECT_NE(first, SeedSequence(7, "ExclusiveScan.ScansManyItems").next());
}

TEST(Thinned, KeepsEveryThirdSizeAndTheLast) {
  EXPECT_EQ(thinned({}), std::vector<int>{});
  EXPECT_EQ(thinned({1}), std::vector<int>{1});
  EXPECT_EQ(thinned({1, 31, 32, 33, 64}), (std::vector{1, 33, 64}));
  EXPECT_EQ(thinned({1, 31, 32, 33}), (std::vector{1, 33}));
}

}  // namespace
}  // namespace judge
