// SPDX-License-Identifier: MIT
// What the checkers remember about a block's shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "check/byte_flags.h"
#include "check/word_history.h"

namespace simt::device {

// One stretch of shared memory as the running block sees it.
struct SharedRegion {
  std::uintptr_t low = 0;
  std::size_t size_bytes = 0;
  ByteFlags written;                 // since the block's start
  std::vector<WordHistory> history;  // of other blocks, too, which does no harm

  bool contains(std::uintptr_t address) const { return address - low < size_bytes; }
};

struct SharedVariable;

// Adds the __shared__ variables of which something was written to `variables`.
void add_written_variables(const SharedRegion& static_region,
                           std::set<const SharedVariable*>& variables);

// Each resident block has one, although blocks use the memory itself in turns.
class SharedShadow {
 public:
  // For a fresh block: nothing is written.
  void reset(std::span<std::byte> static_memory, std::span<std::byte> dynamic_memory);

  // The region that holds the address; null: it is not in shared memory.
  SharedRegion* region_of(std::uintptr_t address) {
    if (static_region.contains(address)) return &static_region;
    if (dynamic_region.contains(address)) return &dynamic_region;
    return nullptr;
  }

  SharedRegion static_region;
  SharedRegion dynamic_region;

 private:
  static void reset(SharedRegion& region, std::span<std::byte> memory,
                    std::vector<std::uint8_t>& flags);

  std::vector<std::uint8_t> static_flags_;
  std::vector<std::uint8_t> dynamic_flags_;
};

}  // namespace simt::device
