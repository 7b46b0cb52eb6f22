// SPDX-License-Identifier: MIT
// Rung 05b: signed keys, floats, ranges of bits.
#include "fixture_types.h"
#include "judge.h"
#include "radix_sort.cuh"

namespace lab_judge {
namespace {

class KeyTypes : public TypesFixture {
 protected:
  std::optional<Failure> sort_all_bits(const Keys& keys) { return sort_bits(keys, 0, 32); }
};

TEST_F(KeyTypes, SortsSignedKeys) { expect_signed_keys_sorted(); }

TEST_F(KeyTypes, SortsFloats) { expect_floats_sorted(); }

TEST_F(KeyTypes, PutsSpecialFloatsInTheirPlaces) { expect_special_floats_in_their_places(); }

TEST_F(KeyTypes, SortsByRangesOfBits) { expect_ranges_of_bits_sorted(); }

TEST_F(KeyTypes, SortsEveryKindOfKeys) {
  expect_all_kinds(5000, [&](const Keys& keys) { return sort_all_bits(keys); });
}

TEST_F(KeyTypes, AcceptsNoKeys) {
  if (const auto failure = sort_all_bits(random_keys(next_seed(), 33))) return fail(*failure);
  if (const auto failure = sort_signed({})) return fail(*failure);
  if (const auto failure = sort_floats({})) return fail(*failure);
  if (const auto failure = sort_all_bits({})) return fail(*failure);
}

TEST_F(KeyTypes, SortsManyItems) {
  const int many = (judge::kOnGpu ? 1 << 22 : 40000) + static_cast<int>(next_seed() % 997);
  expect_random({many}, [&](const Keys& keys) { return sort_all_bits(keys); });
}

TEST_F(KeyTypes, DependsOnNoOrderOfExecution) {
  const int few = judge::kOnGpu ? 2500 : 1100;
  const int many = judge::kOnGpu ? 20000 : 13000;
  expect_no_order_to_matter(4, few, many, [&](const Keys& keys) { return sort_all_bits(keys); });
}

}  // namespace
}  // namespace lab_judge
