// SPDX-License-Identifier: MIT
// Rungs 02 to 04: a scan within one block.
#include "fixture.h"

namespace lab_judge {
namespace {

class OneBlockScan : public ScanFixture {
 protected:
  static constexpr int kMost = lab::kMaxItemsInOneBlock;
};

TEST_F(OneBlockScan, ScansTheWorkedExample) {
  if (const auto failure = check_exclusive(kExample)) fail(*failure);
}

TEST_F(OneBlockScan, ScansAnyLengthWithinAWarpOrSome) {
  expect_for_sizes(kSmallSizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(OneBlockScan, ScansUpToItsLimit) {
  const int any = 513 + static_cast<int>(next_seed() % 510);
  expect_for_sizes({511, 512, 513, any, kMost - 1, kMost},
                   [&](int num_items) { return check_length(num_items); });
}

TEST_F(OneBlockScan, WrapsModulo2To32) {
  if (const auto failure = check_exclusive(random_words(next_seed(), kMost - 3))) {
    fail(*failure);
  }
}

TEST_F(OneBlockScan, WritesNothingForNoItems) {
  if (const auto failure = check_no_items()) fail(*failure);
}

TEST_F(OneBlockScan, RefusesMoreThanItsLimit) {
  if (const auto failure = check_length(kMost)) return fail(*failure);
  if (const auto failure = check_refusal(kMost)) fail(*failure);
}

TEST_F(OneBlockScan, WorksOnEveryCall) {
  if (const auto failure = check_calls_in_a_row({kMost, 40, 513, kMost})) fail(*failure);
}

TEST_F(OneBlockScan, DependsOnNoOrderOfExecution) {
  expect_in_any_order(
      12, [&](int) { return check_length(kMost - static_cast<int>(next_seed() % 300)); });
}

}  // namespace
}  // namespace lab_judge
