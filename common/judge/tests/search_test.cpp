// SPDX-License-Identifier: MIT
#include "fixture/search.h"

#include <gtest/gtest.h>

namespace {

using judge::Failure;
using judge::Search;

wire::Finding finding(const std::string& kind, int line, const std::string& message = {}) {
  return {kind, "rung.cu", line, "kernel", message};
}

TEST(Search, WithoutAKindIsNeverOver) {
  Search search({});
  search.see(Failure{"wrong_result", "expected 3"});
  search.see(finding("race", 7));
  EXPECT_FALSE(search.is_over());
}

TEST(Search, EndsWithAnyOfItsKinds) {
  Search search({.kinds = {"race", "wrong_result"}});
  search.see(finding("leak", 7));
  EXPECT_FALSE(search.is_over());
  search.see(Failure{"wrong_result", "expected 3"});
  EXPECT_TRUE(search.is_over());
}

TEST(Search, WaitsForTheLine) {
  Search search({.kinds = {"race"}, .line = 31});
  search.see(finding("race", 30, "also in line 310"));
  search.see(finding("leak", 31));
  EXPECT_FALSE(search.is_over());
  search.see(finding("race", 31));
  EXPECT_TRUE(search.is_over());
}

TEST(Search, TakesTheOtherPlaceOfARace) {
  Search search({.kinds = {"race"}, .line = 31});
  search.see(finding("race", 30, "written in line 31 by thread 4"));
  EXPECT_TRUE(search.is_over());
}

TEST(Search, TakesTheMessageFromAnotherCause) {
  Search search({.kinds = {"race"}, .message = "tail is dropped"});
  search.see(finding("race", 30, "a race"));
  EXPECT_FALSE(search.is_over());
  search.see(Failure{"wrong_result", "It looks as if the tail is dropped."});
  EXPECT_TRUE(search.is_over());
}

}  // namespace
