// SPDX-License-Identifier: MIT
// Rungs 01 to 06: the sum.
#include <limits>

#include "fixture.h"
#include "fixture/test_data.h"
#include "judge.h"

namespace lab_judge {
namespace {

class ReduceSum : public ReductionFixture {};

TEST_F(ReduceSum, AddsWithinOneBlock) {
  expect_for_sizes({1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257},
                   [&](int num_items) { return sum_of_integers(num_items); });
}

TEST_F(ReduceSum, AddsAcrossBlocks) {
  std::vector<int> sizes = {511, 512, 513, 1000, 1023, 1024, 1025, 2048, 4095, 4096, 4097, 8192};
  if (judge::kOnGpu) sizes.insert(sizes.end(), {65535, 65536, 65537});
  sizes.push_back(100000 + static_cast<int>(next_seed() % 1000));
  expect_for_sizes(sizes, [&](int num_items) { return sum_of_integers(num_items); });
}

TEST_F(ReduceSum, AddsManyItems) {
  // More than one pass of block sums, and more than a grid-stride loop of the whole device.
  // Rung 01 has neither.
  const int on_cpu = judge::options().rung == "01_global_atomic" ? 1 << 18 : 1 << 20;
  const int num_items = (judge::kOnGpu ? 1 << 25 : on_cpu) + static_cast<int>(next_seed() % 997);
  expect_for_sizes({num_items}, [&](int size) {
    const auto h_in = judge::random_integers(next_seed(), size, 100);
    return reduce("reduce_sum", h_in, {sum(h_in)});
  });
}

TEST_F(ReduceSum, GivesZeroForNoItems) {
  if (const auto failure = sum_of_integers(33)) return fail(*failure);
  if (const auto failure = sum_of_integers(0)) return fail(*failure);
  begin_case();
  const auto d_out = output<float>("d_out", 1);
  const auto failure = call<decltype(lab::reduce_sum)>("reduce_sum", nullptr, 0, d_out);
  if (failure) return fail(*failure);
  if (const auto wrong =
          compare("reduce_sum of a null array of 0 items", d_out.download()[0], {0})) {
    fail(*wrong);
  }
}

TEST_F(ReduceSum, AddsRealNumbersWithinTheErrorBound) {
  constexpr int kMany = (1 << (judge::kOnGpu ? 20 : 18)) - 3;
  expect_for_sizes({1000, 70001, kMany}, [&](int num_items) {
    // Not centred on zero, because cancellation would hide rounding errors.
    auto h_in = judge::random_units(next_seed(), num_items);
    // One large item in front: a single chain of additions that starts with it loses all that
    // follow.
    if (num_items > kMany / 2) h_in[0] = 0x1p24F;
    WrongReduction clues;
    clues.over = [&](std::size_t begin, std::size_t end) { return sum(part(h_in, begin, end)); };
    const double exact = sum(h_in);
    const bool order_is_free = judge::options().rung != "01_global_atomic";
    const double tolerance = sum_tolerance(num_items, exact, order_is_free);
    auto failure = reduce("reduce_sum", h_in, {exact, tolerance}, &clues);
    if (failure && failure->pattern.empty() && failure->kind == judge::kind::kWrongResult) {
      failure->pattern = num_items >= 70001
                             ? "too many numbers are added one after the other into one sum, which "
                               "rounds once for each of them, or items are missing"
                             : "the sum is kept in a type that cannot hold fractions, "
                               "or items are missing";
    }
    return failure;
  });
}

TEST_F(ReduceSum, PassesOnNotANumberAndInfinity) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto h_in = judge::random_integers(next_seed(), 1000, 100);
    h_in[next_seed() % h_in.size()] = special;
    if (const auto failure = reduce("reduce_sum", h_in, {special})) return fail(*failure);
  }
}

TEST_F(ReduceSum, WorksOnEveryCall) {
  begin_case();
  give_scratch(5000);
  std::vector<Buffer<float>> d_outs;
  std::vector<double> sums;
  std::vector<wire::Call> calls;
  const std::vector<int> sizes = {5000, 40, 1025, 5000};
  for (const int num_items : sizes) {
    const auto h_in = judge::random_integers(next_seed(), num_items, 1000);
    const auto number = std::to_string(calls.size());
    const auto d_in = input("d_in_" + number, h_in);
    d_outs.push_back(output<float>("d_out_" + number, 1));
    calls.push_back(judge::encode_call<decltype(lab::reduce_sum)>("reduce_sum", d_in, num_items,
                                                                  d_outs.back()));
    sums.push_back(sum(h_in));
  }
  const auto failure = run_in_a_row(calls, [&](std::size_t i) {
    return compare(what("reduce_sum", sizes[i]), d_outs[i].download()[0], {sums[i]});
  });
  if (failure) fail(*failure);
}

TEST_F(ReduceSum, DependsOnNoOrderOfExecution) {
  expect_in_any_order(12, [&](int round) {
    const int num_items = round % 2 == 0 ? 3000 : 60000;  // now a few blocks, now many
    return sum_of_integers(num_items + static_cast<int>(next_seed() % 3000));
  });
}

}  // namespace
}  // namespace lab_judge
