// SPDX-License-Identifier: MIT
// Rungs 01 and 05 to 06: a scan of any length.
#include <algorithm>

#include "fixture.h"
#include "judge.h"

namespace lab_judge {
namespace {

class ExclusiveScan : public ScanFixture {
 protected:
  // Rung 01 gets short inputs, as its work grows with their square: three blocks of 1024 threads on
  // cpu.
  static int at_most(int num_items) {
    constexpr int kMostOnGpu = 1 << 17;
    constexpr int kMostOnCpu = 2500;
    const bool is_quadratic = judge::options().rung == "01_one_thread_per_output";
    return is_quadratic ? std::min(num_items, judge::kOnGpu ? kMostOnGpu : kMostOnCpu) : num_items;
  }
};

TEST_F(ExclusiveScan, ScansTheWorkedExample) {
  if (const auto failure = check_exclusive(kExample)) fail(*failure);
}

TEST_F(ExclusiveScan, ScansWithinOneBlock) {
  expect_for_sizes(kSmallSizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, ScansAcrossBlocks) {
  // Around the usual tile sizes, and between them.
  std::vector<int> sizes = {511,  512,  513,  1000, 1023, 1024, 1025,  2047,  2048,
                            2049, 3000, 4095, 4096, 4097, 8193, 12289, 32768, 65537};
  if (judge::kOnGpu) {
    sizes.insert(sizes.end(), {6143, 6144, 6145, 30000, 32769, 65535, 65536});
    std::ranges::sort(sizes);
  }
  sizes.push_back(100000 + static_cast<int>(next_seed() % 1000));
  for (int& size : sizes) size = at_most(size);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  expect_for_sizes(sizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, ScansManyItems) {
  // More than one level of block sums, and many windows of look-back. Sizes of 2^28 are for the
  // test of speed, which checks every item, too.
  const int many = (judge::kOnGpu ? 1 << 26 : 1 << 20) + 1 + static_cast<int>(next_seed() % 997);
  expect_for_sizes({at_most(many)}, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, WrapsModulo2To32) {
  if (const auto failure = check_exclusive(random_words(next_seed(), 4999))) fail(*failure);
}

TEST_F(ExclusiveScan, WritesNothingForNoItems) {
  if (const auto failure = check_no_items()) fail(*failure);
}

TEST_F(ExclusiveScan, WorksOnEveryCall) {
  if (const auto failure = check_calls_in_a_row({at_most(70000), 40, 1025, at_most(70000)})) {
    fail(*failure);
  }
}

TEST_F(ExclusiveScan, DependsOnNoOrderOfExecution) {
  // First more blocks than are resident at a time, where blocks wait for each other: the emulated
  // device has room for 2^11 threads, and tiles have up to 32 items per thread. Then alternately
  // many and few.
  const int past_resident = judge::kOnGpu ? 3 << 19 : (1 << 16) + (1 << 15);
  const int many = judge::kOnGpu ? 100000 : 40000;
  const bool may_wait = judge::kOnGpu || judge::options().rung > "05_scan_then_fan";
  expect_in_any_order(12, [&](int round) {
    const int most = at_most(round == 0 && may_wait ? past_resident
                             : round % 3 == 0       ? many
                                                    : 10000);
    return check_length(most - static_cast<int>(next_seed() % 1500));
  });
}

}  // namespace
}  // namespace lab_judge
