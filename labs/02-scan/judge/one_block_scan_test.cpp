// SPDX-License-Identifier: MIT
// Rungs 02 to 04: a scan within one block.
#include <algorithm>

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
  for (const int num_items : {kMost + 1, 5 * kMost}) {
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", small_numbers(next_seed(), num_items));
    const auto d_out = output<int>("d_out", num_items);
    auto failure = call<decltype(lab::exclusive_scan)>("exclusive_scan", d_in, num_items, d_out);
    const std::string asked = "exclusive_scan of " + std::to_string(num_items) +
                              " items: the contract asks this rung "
                              "to throw TooManyItems(num_items) beyond " +
                              std::to_string(kMost) + " items";
    if (!failure) return fail({judge::kind::kWrongResult, asked + ", but it returned"});
    // The worker passes on what() of an exception.
    if (!failure->message.ends_with(lab::TooManyItems(num_items).what())) {
      failure->message = asked + ". Instead: " + failure->message;
      return fail(*failure);
    }
    const std::vector<int> h_out = d_out.download();
    if (!std::ranges::all_of(h_out, [](int item) { return judge::is_poison(item); })) {
      return fail({judge::kind::kWrongResult,
                   asked + " before anything is launched, but d_out was written"});
    }
  }
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
