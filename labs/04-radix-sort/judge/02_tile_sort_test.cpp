// SPDX-License-Identifier: MIT
// Rung 02: each tile sorted on its own.
#include <algorithm>

#include "fixture.h"
#include "judge.h"
#include "radix_sort.cuh"

namespace lab_judge {
namespace {

class SortTiles : public SortFixture {
 protected:
  std::optional<Failure> sort_tiles(const Keys& h_in) {
    Keys h_out;
    auto failure = sort<decltype(lab::sort_tiles)>("sort_tiles", h_in, h_out);
    return failure ? failure : compare_tiles(h_in, h_out);
  }

  // Each tile is compared on its own.
  static std::optional<Failure> compare_tiles(const Keys& h_in, const Keys& h_out) {
    for (std::size_t begin = 0; begin < h_in.size(); begin += lab::kSortTileItems) {
      const std::size_t end = std::min(begin + lab::kSortTileItems, h_in.size());
      const auto cut = [=](const Keys& keys) {
        return Keys(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                    keys.begin() + static_cast<std::ptrdiff_t>(end));
      };
      auto tile = unsigned_case(what("sort_tiles", h_in.size()), cut(h_in));
      if (begin > 0) tile.output = "(d_out + " + std::to_string(begin) + ")";
      const Keys got = cut(h_out);
      auto failure = lab_judge::compare(tile, got);
      if (!failure) continue;
      const bool is_partial = end - begin < lab::kSortTileItems;
      if (std::ranges::all_of(got, judge::is_poison<std::uint32_t>)) {
        failure->message = what("sort_tiles", h_in.size()) + ": no key of tile " +
                           std::to_string(begin / lab::kSortTileItems) +
                           ", which begins at d_out[" + std::to_string(begin) + "], was written";
        if (is_partial) {
          failure->pattern =
              "the tail is dropped: "
              "the last, partial tile is missing (does a division round down?)";
        }
      }
      return failure;
    }
    return std::nullopt;
  }
};

TEST_F(SortTiles, SortsOneTile) {
  expect_random({1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 1023, 1024},
                [&](const Keys& keys) { return sort_tiles(keys); });
}

TEST_F(SortTiles, SortsEachTileOnItsOwn) {
  const std::vector<int> sizes =
      judge::kOnGpu ? std::vector<int>{1025, 2047, 2048, 2049, 3000, 4097, 10000, (1 << 20) + 77}
                    : std::vector<int>{1025, 2047, 2048, 3000, 10007};
  expect_random(sizes, [&](const Keys& keys) { return sort_tiles(keys); });
}

TEST_F(SortTiles, SortsByEachBit) {
  expect_each_bit(700, [&](const Keys& keys) { return sort_tiles(keys); });
}

TEST_F(SortTiles, SortsEveryKindOfKeys) {
  expect_all_kinds(2500, [&](const Keys& keys) { return sort_tiles(keys); });
}

TEST_F(SortTiles, AcceptsNoKeys) {
  expect_no_keys_accepted<decltype(lab::sort_tiles)>(
      "sort_tiles", [&](const Keys& keys) { return sort_tiles(keys); });
}

TEST_F(SortTiles, WorksOnEveryCall) {
  expect_on_every_call<decltype(lab::sort_tiles)>("sort_tiles", {3000, 40, 1025, 3000},
                                                  compare_tiles);
}

TEST_F(SortTiles, DependsOnNoOrderOfExecution) {
  expect_no_order_to_matter(6, 500, 3000, [&](const Keys& keys) { return sort_tiles(keys); });
}

}  // namespace
}  // namespace lab_judge
