// SPDX-License-Identifier: MIT
// The last accesses to each word of memory, for finding races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory_check.h"
#include "race_report.h"
#include "stamp.h"

namespace simt::device {

// One word of four bytes: its last write and two reads by different threads since. Two are enough:
// whoever writes next is another thread than one of them. Code addresses fit in 32 bits as offsets
// into the program.
struct WordHistory {
  Stamp write;
  Stamp reads[2];
  std::uint32_t write_pc;
  std::uint32_t read_pcs[2];
};

// Takes the address space of the device range's records now, not on first use.
void reserve_history();

// Holds an access to the words from `history` on, which begins at `low` (a multiple of 4), against
// the earlier ones, reports races, and notes it.
void check_race(WordHistory* history, std::uintptr_t low, const Access& access, bool is_shared);

// The same for memory of the device's range and for the program's globals.
void check_device_race(const Access& access);
void check_global_race(const Access& access);

// An access to [begin, end) of the device's range by a block from `first_block` to before
// `end_block`.
enum class Interest { kAll, kWrites };
std::optional<EarlierAccess> find_access(std::uintptr_t begin, std::uintptr_t end,
                                         std::uint32_t first_block, std::uint32_t end_block,
                                         Interest interest);

// There will be accesses to the device's range from `address` on, a multiple of a page.
void make_history(std::uintptr_t address, std::size_t size_bytes);

// The device's range from `address` on is nobody's any more.
void forget_accesses(std::uintptr_t address, std::size_t size_bytes);
// Everything.
void forget_accesses();

}  // namespace simt::device
