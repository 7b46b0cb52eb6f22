// SPDX-License-Identifier: MIT
// Rungs 03 to 05: the whole sort.
#include "radix_sort.cuh"

#include "fixture.h"
#include "judge.h"

namespace lab_judge {
namespace {

// A tile costs the device the same, full or not, so it sorts fewer of them: one key more and one
// less than a warp, a block and a tile.
const std::vector<int> kSizesWithinTile =
    judge::kOnGpu
        ? std::vector<int>{1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 1023, 1024, 1025}
        : std::vector<int>{1, 2, 31, 32, 33, 65, 255, 257, 1000, 1024, 1025};
// On cpu a tile of 2048 keys is followed by one key, full twice, and one key short; the largest
// tile in use, of 12288, is followed by one key.
const std::vector<int> kSizesAcrossTiles =
    judge::kOnGpu ? std::vector<int>{2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 12289}
                  : std::vector<int>{2049, 4096, 8191, 12289};

class RadixSort : public SortFixture {};

TEST_F(RadixSort, SortsWithinOneTile) {
  expect_random(kSizesWithinTile, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsAcrossTiles) {
  expect_random(kSizesAcrossTiles, [&](const Keys& keys) { return radix_sort(keys); });
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
  // A merge sort handles the next power of two.
  const bool is_merge = judge::options().rung == "03_bitonic_merge";
  const int across_tiles = is_merge && !judge::kOnGpu ? 3000 : 5000;
  expect_all_kinds(across_tiles, [&](const Keys& keys) { return radix_sort(keys); });
  // A sort may treat few keys differently, in one block. Rungs 03 and 04 have no reason to.
  const bool may_treat_few_apart = judge::kOnGpu || judge::options().rung == "05_onesweep";
  if (HasFailure() || !may_treat_few_apart) return;
  expect_all_kinds(judge::kOnGpu ? 1500 : 1100, [&](const Keys& keys) { return radix_sort(keys); });
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
  const int few = judge::kOnGpu ? 2500 : 1100;
  const bool is_merge = judge::options().rung == "03_bitonic_merge";
  const int many = !is_merge ? 20000 : judge::kOnGpu ? 7000 : 4500;
  expect_no_order_to_matter(6, few, many, [&](const Keys& keys) { return radix_sort(keys); });
}

}  // namespace
}  // namespace lab_judge
