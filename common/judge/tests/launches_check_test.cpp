// SPDX-License-Identifier: MIT
#include "measure/launches_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using Launched = std::vector<std::pair<std::string, std::uint64_t>>;

std::vector<wire::KernelCounters> kernels(const Launched& launched) {
  std::vector<wire::KernelCounters> kernels;
  for (const auto& [name, launches] : launched) {
    wire::KernelCounters& kernel = kernels.emplace_back();
    kernel.name = name;
    kernel.counters["launches"] = launches;
  }
  kernels.emplace_back().name = "cudaMemcpy";
  return kernels;
}

// The message about two calls; empty if nothing is wrong.
std::string said(const Launched& first, const Launched& second) {
  const auto one = kernels(first);
  const auto other = kernels(second);
  const auto failure = judge::find_other_launches({131072, one}, {524288, other});
  if (!failure) return "";
  EXPECT_EQ(failure->kind, judge::kind::kBudget);
  return failure->message;
}

TEST(LaunchesCheck, AcceptsTheSameKernels) {
  EXPECT_EQ(said({}, {}), "");
  EXPECT_EQ(said({{"count", 1}, {"scan", 4}}, {{"count", 1}, {"scan", 4}}), "");
}

TEST(LaunchesCheck, AcceptsOtherInstancesOfATemplate) {
  EXPECT_EQ(said({{"scan<1>", 4}}, {{"scan<4>", 1}, {"scan<8>", 3}}), "");
  EXPECT_NE(said({{"scan<1>", 4}}, {{"scan<4>", 3}}), "");
}

TEST(LaunchesCheck, NamesTheSizesAndWhatDiffers) {
  const std::string message =
      said({{"scan", 1}, {"clear", 1}}, {{"sum", 1}, {"scan", 2}, {"clear", 1}, {"fan", 1}});
  EXPECT_NE(message.find("131072 items and one with 524288 items"), std::string::npos) << message;
  EXPECT_NE(message.find("scan 1 and 2 times, sum 0 and 1 times, fan 0 and 1 times"),
            std::string::npos)
      << message;
  EXPECT_EQ(message.find("clear"), std::string::npos);
}

TEST(LaunchesCheck, ComparesEqualCallsToo) {
  const auto one = kernels({{"scan", 1}});
  const auto other = kernels({{"scan", 2}});
  const auto failure = judge::find_other_launches({65536, one}, {65536, other});
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("two calls with 65536 items"), std::string::npos);
}

TEST(LaunchesCheck, NamesOnlyTheFirstOfMany) {
  Launched many;
  for (char letter = 'a'; letter <= 'g'; ++letter) many.emplace_back(std::string(1, letter), 1);
  const std::string message = said(many, {});
  EXPECT_NE(message.find("d 1 and 0 times, and 3 more"), std::string::npos) << message;
  EXPECT_EQ(message.find("e 1 and 0"), std::string::npos);
}

}  // namespace
