// SPDX-License-Identifier: MIT
// Inputs for compaction: random items, with a choice of how many a predicate keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compaction.cuh"
#include "fixture/host_device.h"

namespace lab_judge {

// An item made of 64 random bits, kept or not as asked. keep.mask must not be 0.
LOCKSTEP_HOST_DEVICE inline int make_item(std::uint64_t bits, lab::Predicate keep, bool is_kept) {
  const auto mask = static_cast<std::uint32_t>(keep.mask);
  const auto value = static_cast<std::uint32_t>(keep.value);
  const auto random = static_cast<std::uint32_t>(bits >> 32);
  std::uint32_t flipped = 0;  // some bit under the mask, unless the item must be kept
  if (!is_kept) {
    flipped = static_cast<std::uint32_t>(bits) & mask;
    if (flipped == 0) flipped = mask;
  }
  return static_cast<int>((random & ~mask) | (value ^ flipped));
}

// The value behind the input, or where nothing was loaded. A predicate that keeps it reveals a
// program that takes it for an item.
enum class Bait { kPoison, kZero };

// A predicate of three random bits that keeps the bait.
lab::Predicate random_predicate(std::uint64_t seed, Bait bait);

// Which items of an input are kept.
struct Selection {
  const char* name;  // completes "with ... kept"
  bool (*is_kept)(std::uint64_t seed, int index, int num_items);
};
extern const Selection kHalf;                     // at random
extern const std::vector<Selection> kSelections;  // of different kinds

std::vector<int> make_items(std::uint64_t seed, int num_items, lab::Predicate keep,
                            const Selection& selection);

}  // namespace lab_judge
