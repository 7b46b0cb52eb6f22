// SPDX-License-Identifier: MIT
// Rung 06: pairs, signed keys, floats.
#include <algorithm>
#include <numeric>

#include "fixture_types.h"
#include "judge.h"

namespace lab_judge {
namespace {

class PairsAndTypes : public TypesFixture {
 protected:
  // Values are the indices of the input, so that each pair is known by its value.
  std::optional<Failure> sort_pairs(const Keys& h_keys) {
    const int num_items = static_cast<int>(h_keys.size());
    Keys h_values(h_keys.size());
    const auto salt = static_cast<std::uint32_t>(next_seed());
    for (std::uint32_t i = 0; i < h_values.size(); ++i) h_values[i] = i ^ salt;
    begin_case();
    give_scratch(num_items);
    const auto d_keys_in = input("d_keys_in", h_keys);
    const auto d_values_in = input("d_values_in", h_values);
    const auto d_keys_out = output<std::uint32_t>("d_keys_out", h_keys.size());
    const auto d_values_out = output<std::uint32_t>("d_values_out", h_keys.size());
    auto failure = call<decltype(lab::sort_pairs)>("sort_pairs", d_keys_in, d_values_in, num_items,
                                                   d_keys_out, d_values_out);
    if (failure) return failure;
    auto of_keys = unsigned_case(what("sort_pairs", h_keys.size()), h_keys);
    of_keys.output = "d_keys_out";
    if (auto wrong = lab_judge::compare(of_keys, d_keys_out.download())) return wrong;
    return compare_values(h_keys, h_values, d_values_out.download());
  }

  // The keys are right.
  static std::optional<Failure> compare_values(const Keys& h_keys, const Keys& h_values,
                                               const Keys& got) {
    std::vector<std::size_t> order(h_keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return h_keys[i]; });
    const auto is_right = [&](std::size_t i) { return got[i] == h_values[order[i]]; };
    std::size_t first = 0;
    while (first < got.size() && is_right(first)) ++first;
    if (first == got.size()) return std::nullopt;
    const std::string place = "d_values_out[" + std::to_string(first) + "]";
    if (judge::is_poison(got[first])) {
      return Failure{judge::kind::kOutputUnwritten, place + " was never written"};
    }
    Failure failure{judge::kind::kWrongResult,
                    what("sort_pairs", h_keys.size()) + ": the keys are right, but expected " +
                        place + " = " + hex(h_values[order[first]]) + ", got " + hex(got[first])};
    Keys sorted = got;
    Keys all = h_values;
    std::ranges::sort(sorted);
    std::ranges::sort(all);
    if (got == h_values) {
      failure.pattern = "the values stay where they are instead of going with their keys";
    } else if (sorted == all) {
      const std::uint32_t salt = h_values[0];  // h_values[i] is i ^ salt
      bool fits = true;
      for (std::size_t i = 0; i < got.size(); ++i) {
        fits = fits && h_keys[got[i] ^ salt] == h_keys[order[i]];
      }
      failure.pattern = fits ? "the sort is not stable: every value is with a key that is equal to "
                               "its own, but equal keys have changed their order"
                             : "values do not go where their keys go";
    }
    return failure;
  }
};

TEST_F(PairsAndTypes, SortsPairs) {
  expect_random(sizes_, [&](const Keys& keys) { return sort_pairs(keys); });
}

TEST_F(PairsAndTypes, KeepsTheOrderOfEqualKeys) {
  // Past a tile of 2048. A sort of few keys may compare each with all, so more would take long.
  const Kinds kinds = judge::kOnGpu ? Kinds::kAll : Kinds::kWithEqualKeys;
  expect_all_kinds(
      2100, [&](const Keys& keys) { return sort_pairs(keys); }, kinds);
}

TEST_F(PairsAndTypes, SortsSignedKeys) { expect_signed_keys_sorted(); }

TEST_F(PairsAndTypes, SortsFloats) { expect_floats_sorted(); }

TEST_F(PairsAndTypes, PutsSpecialFloatsInTheirPlaces) { expect_special_floats_in_their_places(); }

TEST_F(PairsAndTypes, AcceptsNoKeys) {
  if (const auto failure = sort_pairs(random_keys(next_seed(), 33))) return fail(*failure);
  if (const auto failure = sort_pairs({})) return fail(*failure);
  if (const auto failure = sort_signed({})) return fail(*failure);
  if (const auto failure = sort_floats({})) return fail(*failure);
}

TEST_F(PairsAndTypes, SortsManyItems) {
  const int many = (judge::kOnGpu ? 1 << 22 : 40000) + static_cast<int>(next_seed() % 997);
  expect_random({many}, [&](const Keys& keys) { return sort_pairs(keys); });
}

TEST_F(PairsAndTypes, DependOnNoOrderOfExecution) {
  const int few = judge::kOnGpu ? 2500 : 1100;
  const int many = judge::kOnGpu ? 20000 : 13000;
  expect_no_order_to_matter(4, few, many, [&](const Keys& keys) { return sort_pairs(keys); });
}

}  // namespace
}  // namespace lab_judge
