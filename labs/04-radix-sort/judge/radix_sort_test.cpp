// SPDX-License-Identifier: MIT
// Rungs 03 to 05: the whole sort.
#include "radix_sort.cuh"

#include "fixture.h"
#include "judge.h"

namespace lab_judge {
namespace {

const std::vector<int> kSizesWithinTile = {1,  2,   3,   31,  32,   33,   63,   64,
                                           65, 255, 256, 257, 1000, 1023, 1024, 1025};

class RadixSort : public SortFixture {};

TEST_F(RadixSort, SortsWithinOneTile) {
  expect_random(kSizesWithinTile, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsAcrossTiles) {
  expect_random({2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 12289},
                [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsManyItems) {
  const int on_cpu = judge::options().rung == "03_bitonic_merge" ? 20000 : 1 << 16;
  const int many = (judge::kOnGpu ? 1 << 23 : on_cpu) + static_cast<int>(next_seed() % 997);
  expect_random({many}, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsByEachBit) {
  expect_each_bit(150, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsEveryKindOfKeys) {
  for (const int num_items : {1500, 5000}) {  // a sort may treat few keys differently
    expect_all_kinds(num_items, [&](const Keys& keys) { return radix_sort(keys); });
  }
}

TEST_F(RadixSort, AcceptsNoKeys) {
  expect_no_keys_accepted<decltype(lab::radix_sort)>(
      "radix_sort", [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, WorksOnEveryCall) {
  expect_on_every_call<decltype(lab::radix_sort)>("radix_sort", {9000, 40, 1025, 9000},
                                                  compare_whole);
}

TEST_F(RadixSort, DependsOnNoOrderOfExecution) {
  const int many = judge::options().rung == "03_bitonic_merge" ? 7000 : 20000;
  expect_no_order_to_matter(6, 2500, many, [&](const Keys& keys) { return radix_sort(keys); });
}

}  // namespace
}  // namespace lab_judge
