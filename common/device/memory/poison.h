// SPDX-License-Identifier: MIT
// The pattern that fresh memory holds. A huge allocation gets it page by page, at first use.
#pragma once

#include <cstdint>

namespace memory {

// Fills [begin, end) with the poison pattern; both are multiples of 4.
void fill_with_poison(std::uint64_t begin, std::uint64_t end);

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
  bool is_empty() const { return begin == end; }
};
// Of a huge allocation, the pages between its two ends; empty for others.
Range middle_of(std::uint64_t base, std::uint64_t size_bytes);

// Poisons the allocation except for its middle.
void poison_ends(std::uint64_t base, std::uint64_t size_bytes);
// The middle gets its poison at first use, or does not need it any more.
void poison_middle_on_use(std::uint64_t base, std::uint64_t size_bytes);
void forget_middle(std::uint64_t base, std::uint64_t size_bytes);

}  // namespace memory
