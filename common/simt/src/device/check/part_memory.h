// SPDX-License-Identifier: MIT
// What a part of a launch did to memory and to the records about it. The parts begin with the same
// memory, and each changes a copy of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace simt::device {

struct PartMemory {
  std::uint32_t first_block = 0;  // its blocks' ordinals: from this one
  std::uint32_t end_block = 0;    // to before this one
  std::array<int, 5> files = {};  // for what it did; empty at first
};

// Whether this system tells a process which pages it has changed since it was forked.
bool sees_changed_pages();

// In the part's process, after its last block: what it did, into its files. Returns whether that
// was possible.
bool save_part_memory(const PartMemory& part);

// Does to this process's memory what the parts, in the order of their blocks, did to theirs.
// Returns false, and does nothing, if a block of one wrote a word that a block of another one
// accessed.
bool merge_part_memory(std::span<const PartMemory> parts);

}  // namespace simt::device
