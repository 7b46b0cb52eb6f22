// SPDX-License-Identifier: MIT
// The judge of 04-radix-sort. Runs apart from the student's code, which it calls through a worker.
// Rungs 01 to 05; those of 06 are in pairs_and_types_test.cpp.
#include "radix_sort.cuh"

#include <algorithm>

#include "judge.h"
#include "sorting.h"

namespace {

using judge::Failure;
using sort_judge::Keys;
using sort_judge::random_keys;
using sort_judge::Sorting;
using sort_judge::unsigned_case;
using sort_judge::what;

const std::vector<int> kSizesWithinTile = {1,  2,   3,   31,  32,   33,   63,   64,
                                           65, 255, 256, 257, 1000, 1023, 1024, 1025};

// ---- rung 01

class Split : public Sorting {
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
      return Failure{"output_unwritten", "d_total_falses[0] was never written"};
    }
    if (got != expected) {
      Failure wrong{"wrong_result", what("split", h_in.size()) + " by bit " + std::to_string(bit) +
                                        ": expected totalFalses = " + std::to_string(expected) +
                                        ", got " + std::to_string(got)};
      if (num_items > 0 && is_false(h_in.back()) && got == expected - 1) {
        wrong.pattern =
            "the last key's own flag is missing: the scan is exclusive, so f[last] does not "
            "count it, and totalFalses = e[last] + f[last]";
      }
      return wrong;
    }
    auto one_pass =
        unsigned_case(what("split", h_in.size()) + " by bit " + std::to_string(bit), h_in);
    one_pass.begin_bit = bit;
    one_pass.end_bit = bit + 1;
    return sort_judge::compare(one_pass, d_out.download());
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
  const int large = judge::kOnGpu ? (1 << 20) + 77 : 10007;
  expect_random({2047, 2048, 2049, large}, [&](const Keys& keys) { return radix_sort(keys); });
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

// ---- rung 02

class SortTiles : public Sorting {
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
      auto failure = sort_judge::compare(tile, got);
      if (!failure) continue;
      const bool is_partial = end - begin < lab::kSortTileItems;
      if (std::ranges::all_of(got, judge::is_poison<std::uint32_t>)) {
        failure->message = what("sort_tiles", h_in.size()) + ": no key of tile " +
                           std::to_string(begin / lab::kSortTileItems) +
                           ", which begins at d_out[" + std::to_string(begin) + "], was written";
        if (is_partial) {
          failure->pattern =
              "the tail is dropped: the last, partial tile is missing (does a division round "
              "down?)";
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
  const int large = judge::kOnGpu ? (1 << 20) + 77 : 20011;
  expect_random({1025, 2047, 2048, 2049, 3000, 4097, 10000, large},
                [&](const Keys& keys) { return sort_tiles(keys); });
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

// ---- rungs 03 to 05

class RadixSort : public Sorting {};

TEST_F(RadixSort, SortsWithinOneTile) {
  expect_random(kSizesWithinTile, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsAcrossTiles) {
  expect_random({2047, 2048, 2049, 3000, 4095, 4096, 4097, 8191, 8192, 8193, 12289},
                [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsManyItems) {
  const int on_cpu = judge::options().rung == "03_bitonic_merge" ? 1 << 15 : 1 << 16;
  const int many = (judge::kOnGpu ? 1 << 23 : on_cpu) + static_cast<int>(next_seed() % 997);
  expect_random({many}, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsByEachBit) {
  expect_each_bit(150, [&](const Keys& keys) { return radix_sort(keys); });
}

TEST_F(RadixSort, SortsEveryKindOfKeys) {
  expect_all_kinds(5000, [&](const Keys& keys) { return radix_sort(keys); });
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

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "RadixSort",
       .workload = {.make = sort_judge::sort_workload, .budget_items = 1 << 15},
       .suites = {
           {"01_split", "Split", {.make = sort_judge::sort_workload, .budget_items = 1 << 12}},
           {"02_tile_sort",
            "SortTiles",
            {.make = sort_judge::tiles_workload, .budget_items = 1 << 14}},
           {"06_pairs_and_types",
            "PairsAndTypes",
            {.make = sort_judge::pairs_workload, .budget_items = 1 << 15}}}});
}
