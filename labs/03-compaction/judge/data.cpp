// SPDX-License-Identifier: MIT
#include "data.h"

#include "fixture/test_data.h"
#include "protocol/arena.h"

namespace lab_judge {

using judge::is_poison;
using judge::kPoisonByte;
using judge::random_bits;

const Selection kHalf = {"about half of the items", [](std::uint64_t seed, int index, int) {
                           return random_bits(~seed, index) % 2 == 0;
                         }};

const std::vector<Selection> kSelections = {
    kHalf,
    {"every item", [](std::uint64_t, int, int) { return true; }},
    {"no item", [](std::uint64_t, int, int) { return false; }},
    {"one item in 256",
     [](std::uint64_t seed, int index, int) { return random_bits(~seed, index) % 256 == 0; }},
    {"all but one item in 256",
     [](std::uint64_t seed, int index, int) { return random_bits(~seed, index) % 256 != 0; }},
    {"every other item", [](std::uint64_t, int index, int) { return index % 2 == 1; }},
    {"long runs of items",
     [](std::uint64_t seed, int index, int) { return random_bits(~seed, index / 777) % 2 == 0; }},
    {"the first half of the items",
     [](std::uint64_t, int index, int num_items) { return index < num_items / 2; }},
    {"the second half of the items",
     [](std::uint64_t, int index, int num_items) { return index >= num_items / 2; }},
    {"only the first item", [](std::uint64_t, int index, int) { return index == 0; }},
    {"only the last item",
     [](std::uint64_t, int index, int num_items) { return index == num_items - 1; }},
};

lab::Predicate random_predicate(std::uint64_t seed, Bait bait) {
  std::uint32_t mask = 0;
  for (int i = 0; i < 3; ++i) mask |= 1U << random_bits(seed, i) % 32;
  const std::uint32_t kept = bait == Bait::kPoison ? 0x01010101U * kPoisonByte : 0;
  return {static_cast<int>(mask), static_cast<int>(kept & mask)};
}

std::vector<int> make_items(std::uint64_t seed, int num_items, lab::Predicate keep,
                            const Selection& selection) {
  std::vector<int> h_items(num_items);
  for (int i = 0; i < num_items; ++i) {
    int& item = h_items[i];
    item = make_item(random_bits(seed, i), keep, selection.is_kept(seed, i, num_items));
    // Flips one random bit, so that an unwritten output never equals an item.
    if (is_poison(item)) item ^= ~keep.mask & -(~keep.mask);
  }
  return h_items;
}

}  // namespace lab_judge
