// SPDX-License-Identifier: MIT
// All rungs: up to kMaxBins bins.
#include <string>

#include "fixture.h"
#include "judge.h"

namespace lab_judge {
namespace {

class Histogram : public HistogramFixture {};

TEST_F(Histogram, FollowsTheWorkedExample) {
  begin_case();
  const std::vector<float> h_samples = {0.5F, 3.1F,  2.2F, 7.9F, 2.9F, 8.0F,
                                        2.0F, -1.0F, 3.9F, 4.4F, 2.4F, 1.7F};
  const auto d_samples = input("d_samples", h_samples);
  const auto d_counts = output<unsigned int>("d_counts", 4);
  if (const auto failure =
          call<decltype(lab::histogram)>("histogram", d_samples, 12, 4, 0.0, 8.0, d_counts)) {
    return fail(*failure);
  }
  const Counts got = d_counts.download();
  if (got == Counts{2, 6, 1, 1}) return;
  std::string all;
  for (const unsigned int count : got) all += " " + std::to_string(count);
  const lab::EvenBins bins(4, 0.0F, 8.0F);
  fail(wrong("the handout's samples: expected 2 6 1 1, got" + all, {h_samples, bins, got}));
}

TEST_F(Histogram, CountsWithinOneBlock) {
  expect_for_sizes({1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 255, 256, 257},
                   [&](int num_samples) { return attempt(num_samples, 16, kUniform); });
}

TEST_F(Histogram, CountsAcrossBlocks) {
  const int large = 50000 + static_cast<int>(next_seed() % 1000);
  expect_for_sizes({511, 513, 1000, 1023, 1024, 1025, 2047, 4097, 8190, 16385, large},
                   [&](int num_samples) { return attempt(num_samples, 256, kUniform); });
}

TEST_F(Histogram, WorksForEverySpread) {
  for (const Spread& spread : kSpreads) {
    expect_for_sizes({33, 1000, 20000 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_samples) { return attempt(num_samples, 100, spread); });
    if (HasFailure()) return;
  }
}

TEST_F(Histogram, WorksForEveryNumberOfBins) {
  for (const int num_bins : {1, 2, 31, 33, 255, 257, 385, 511, 513, 1025, lab::kMaxBins}) {
    expect_for_sizes({777, 9000 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_samples) { return attempt(num_samples, num_bins, kUniform); });
    if (HasFailure()) return;
  }
}

TEST_F(Histogram, CountsManySamples) {
  // More than 2^16 of one bin, and more than one pass of a grid of the device's size. One atomic
  // after another takes the emulator long.
  const bool is_slow = judge::options().rung == "01_global_atomics";
  const int on_cpu = is_slow ? 1 << 17 : 1 << 20;
  const int num_samples = (judge::kOnGpu ? 1 << 25 : on_cpu) + static_cast<int>(next_seed() % 997);
  expect_for_sizes({num_samples}, [&](int size) { return attempt(size, 200, kSpreads[1]); });
}

TEST_F(Histogram, CountsNoSamples) {
  // Some samples, so that zeros cannot pass; then none; then none in a null array.
  for (const int num_samples : {33, 0}) {
    if (const auto failure = attempt(num_samples, 100, kUniform)) return fail(*failure);
  }
  begin_case();
  const auto d_counts = output<unsigned int>("d_counts", 100);
  if (const auto failure =
          call<decltype(lab::histogram)>("histogram", nullptr, 0, 100, -1.0, 1.0, d_counts)) {
    return fail(*failure);
  }
  if (d_counts.download() == Counts(100)) return;
  fail({judge::kind::kWrongResult, "without samples, in a null array: a count is not 0"});
}

TEST_F(Histogram, WorksOnEveryCall) {
  const auto failure = attempt_in_a_row(
      {{9000, 256}, {40, 3}, {0, 100}, {1025, lab::kMaxBins}, {30000, 256}, {9000, 256}});
  if (failure) fail(*failure);
}

TEST_F(Histogram, DependsOnNoOrderOfExecution) {
  expect_in_any_order(12, [&](int round) {
    const int num_samples = round % 2 == 0 ? 3000 : 40000;  // now a few blocks, now many
    return attempt(num_samples + static_cast<int>(next_seed() % 3000), 256, kUniform);
  });
}

}  // namespace
}  // namespace lab_judge
