// SPDX-License-Identifier: MIT
// Rung 01: one pass by one bit, then the whole sort.
#include <algorithm>
#include <functional>

#include "fixture.h"
#include "judge.h"
#include "radix_sort.cuh"

namespace lab_judge {
namespace {

class Split : public SortFixture {
 protected:
  std::optional<Failure> split(const Keys& h_in, int bit) {
    const int num_items = static_cast<int>(h_in.size());
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<std::uint32_t>("d_out", h_in.size());
    const auto d_total_falses = output<int>("d_total_falses", 1);
    auto failure = call<decltype(lab::split)>("split", d_in, num_items, bit, d_out, d_total_falses);
    if (failure) return failure;
    const auto is_false = [=](std::uint32_t key) { return (key >> bit & 1) == 0; };
    const int expected = static_cast<int>(std::ranges::count_if(h_in, is_false));
    const int got = d_total_falses.download()[0];
    if (judge::is_poison(got)) {
      return Failure{judge::kind::kOutputUnwritten, "d_total_falses[0] was never written"};
    }
    if (got != expected) {
      Failure wrong{judge::kind::kWrongResult,
                    what("split", h_in.size()) + " by bit " + std::to_string(bit) +
                        ": expected totalFalses = " + std::to_string(expected) + ", got " +
                        std::to_string(got)};
      if (num_items > 0 && is_false(h_in.back()) && got == expected - 1) {
        wrong.pattern =
            "the last key's own flag is missing: the scan is exclusive, "
            "so f[last] does not count it, and totalFalses = e[last] + f[last]";
      }
      return wrong;
    }
    auto one_pass =
        unsigned_case(what("split", h_in.size()) + " by bit " + std::to_string(bit), h_in);
    one_pass.begin_bit = bit;
    one_pass.end_bit = bit + 1;
    const Keys h_out = d_out.download();
    auto wrong = lab_judge::compare(one_pass, h_out);
    Keys ones_first = h_in;
    std::ranges::stable_partition(ones_first, std::not_fn(is_false));
    if (wrong && h_out == ones_first) {
      wrong->pattern = "keys whose bit is 1 go to the front: keys whose bit is 0 come first";
    }
    return wrong;
  }
};

TEST_F(Split, DoesTheWorkedExample) {
  // The handout's eight keys, by bit 0: totalFalses = e[7] + f[7] = 1 + 3.
  const Keys h_in = {0b100, 0b111, 0b010, 0b110, 0b011, 0b101, 0b001, 0b000};
  if (const auto failure = split(h_in, 0)) return fail(*failure);
}

TEST_F(Split, KeepsTheOrderWithinBothGroups) {
  expect_and_explain({1, 2, 31, 32, 33, 255, 256, 257, 1000, 1024, 1025, 5000}, [&](int num_items) {
    return split(random_keys(next_seed(), num_items), static_cast<int>(next_seed() % 32));
  });
}

TEST_F(Split, CountsNoFalsesWithoutKeys) {
  if (const auto failure = split(random_keys(next_seed(), 40), 5)) return fail(*failure);
  if (const auto failure = split({}, 5)) return fail(*failure);
}

TEST_F(Split, SortsSmallArrays) {
  expect_random({1, 2, 31, 32, 33, 257, 1000, 1025},
                [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(Split, SortsLargerArrays) {
  const std::vector<int> sizes = judge::kOnGpu ? std::vector<int>{2047, 2048, 2049, (1 << 20) + 77}
                                               : std::vector<int>{2049, 5003};  // of 32 passes each
  expect_random(sizes, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(Split, SortsByEachBit) {
  expect_each_bit(40, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(Split, SortsEveryKindOfKeys) {
  expect_all_kinds(1300, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(Split, AcceptsNoKeys) {
  expect_no_keys_accepted<decltype(lab::radix_sort)>(
      "radix_sort", [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(Split, WorksOnEveryCall) {
  expect_on_every_call<decltype(lab::radix_sort)>("radix_sort", {1500, 40, 1025, 1500},
                                                  compare_whole);
}

TEST_F(Split, DependsOnNoOrderOfExecution) {
  expect_no_order_to_matter(4, 300, 1500, [&](const Keys& keys) { return radix_sort(keys); });
}

}  // namespace
}  // namespace lab_judge
