// SPDX-License-Identifier: MIT
#include "fixture/search.h"

#include <gtest/gtest.h>

namespace {

namespace kind = judge::kind;
using judge::Failure;
using judge::Search;

wire::Finding finding(const std::string& kind, int line, const std::string& message = {}) {
  return {kind, "rung.cu", line, "kernel", message};
}

TEST(Search, WithoutAKindIsNeverOver) {
  Search search({});
  search.see(Failure{kind::kWrongResult, "expected 3"});
  search.see(finding(kind::kRace, 7));
  EXPECT_FALSE(search.is_over());
}

TEST(Search, EndsWithAnyOfItsKinds) {
  Search search({.kinds = {kind::kRace, kind::kWrongResult}});
  search.see(finding(kind::kLeak, 7));
  EXPECT_FALSE(search.is_over());
  search.see(Failure{kind::kWrongResult, "expected 3"});
  EXPECT_TRUE(search.is_over());
}

TEST(Search, WaitsForTheLine) {
  Search search({.kinds = {kind::kRace}, .line = 31});
  search.see(finding(kind::kRace, 30, "also in line 310"));
  search.see(finding(kind::kLeak, 31));
  EXPECT_FALSE(search.is_over());
  search.see(finding(kind::kRace, 31));
  EXPECT_TRUE(search.is_over());
}

TEST(Search, TakesTheOtherPlaceOfARace) {
  Search search({.kinds = {kind::kRace}, .line = 31});
  search.see(finding(kind::kRace, 30, "written in line 31 by thread 4"));
  EXPECT_TRUE(search.is_over());
}

TEST(Search, TakesTheMessageFromAnotherCause) {
  Search search({.kinds = {kind::kRace}, .message = "tail is dropped"});
  search.see(finding(kind::kRace, 30, "a race"));
  EXPECT_FALSE(search.is_over());
  search.see(Failure{kind::kWrongResult, "It looks as if the tail is dropped."});
  EXPECT_TRUE(search.is_over());
}

TEST(Search, KnowsTheFailureThatEndsIt) {
  const Failure wrong{kind::kWrongResult, "expected 3"};
  EXPECT_FALSE(Search({}).is_over_with(wrong));
  EXPECT_FALSE(Search({.kinds = {kind::kRace}}).is_over_with(wrong));
  EXPECT_FALSE(
      Search({.kinds = {kind::kWrongResult}, .message = "the smallest"}).is_over_with(wrong));
  EXPECT_TRUE(Search({.kinds = {kind::kRace, kind::kWrongResult}}).is_over_with(wrong));
  Search race({.kinds = {kind::kRace}, .line = 31});
  race.see(finding(kind::kRace, 31));
  EXPECT_TRUE(race.is_over_with(wrong));
}

}  // namespace
