// SPDX-License-Identifier: MIT
// Rung 05a: a scan within two blocks.
#include "fixture.h"

namespace lab_judge {
namespace {

class TwoBlockScan : public ScanFixture {
 protected:
  static constexpr int kTile = lab::kMaxItemsInOneBlock;
  static constexpr int kMost = lab::kMaxItemsInTwoBlocks;
};

TEST_F(TwoBlockScan, ScansTheWorkedExample) {
  if (const auto failure = check_exclusive(kExample)) fail(*failure);
}

TEST_F(TwoBlockScan, ScansWithinAndAcrossItsBlocks) {
  const int any = kTile + static_cast<int>(next_seed() % kTile);
  expect_for_sizes({1, 33, kTile - 1, kTile, kTile + 1, kTile + 33, any, kMost - 1, kMost},
                   [&](int num_items) { return check_length(num_items); });
}

TEST_F(TwoBlockScan, WrapsModulo2To32) {
  if (const auto failure = check_exclusive(random_words(next_seed(), kMost - 3))) fail(*failure);
}

TEST_F(TwoBlockScan, WritesNothingForNoItems) {
  if (const auto failure = check_no_items()) fail(*failure);
}

TEST_F(TwoBlockScan, RefusesMoreThanItsLimit) {
  if (const auto failure = check_length(kMost)) return fail(*failure);
  if (const auto failure = check_refusal(kMost)) fail(*failure);
}

TEST_F(TwoBlockScan, WorksOnEveryCall) {
  if (const auto failure = check_calls_in_a_row({kMost, 40, kTile + 7, kMost})) fail(*failure);
}

TEST_F(TwoBlockScan, DependsOnNoOrderOfExecution) {
  expect_in_any_order(
      12, [&](int) { return check_length(kMost - static_cast<int>(next_seed() % 900)); });
}

}  // namespace
}  // namespace lab_judge
