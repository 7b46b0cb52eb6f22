// SPDX-License-Identifier: MIT
// The last accesses to each word of memory, for finding races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "check/word_history.h"
#include "program/access.h"

namespace simt::device {

// Of the device's range, once something is allocated.
extern WordHistory* device_words;

// Which record is that of a range's word. Records of a matrix's column would lie a large power of
// two apart, in few sets of the processor's caches. So one is left out after each kSkewWords; no
// aligned access of up to 16 bytes goes across.
inline constexpr std::size_t kSkewWords = 512;
[[gnu::always_inline]] inline constexpr std::size_t skewed_record(std::size_t word) {
  return word + word / kSkewWords;
}

// Takes the address space of the device range's records now, not on first use.
void reserve_history();

// Compares an access to shared memory, whose records are from `history` on and which begins at
// `low` (a multiple of 4), with the earlier ones, reports races, and records it.
void check_shared_race(WordHistory* history, std::uintptr_t low, const Access& access);

// The same for memory of the device's range and for the program's globals.
void check_device_race(const Access& access);
void check_global_race(const Access& access);

// An access to [begin, end) of the device's range by a block from `first_block` to before
// `end_block`.
enum class Interest { kAll, kWrites };
std::optional<EarlierAccess> find_access(std::uintptr_t begin, std::uintptr_t end,
                                         std::uint32_t first_block, std::uint32_t end_block,
                                         Interest interest);

// The records of a piece of the device's range, and of all of the program's variables.
std::span<WordHistory> device_records(std::uintptr_t address, std::size_t size_bytes);
std::span<WordHistory> variable_records();

// The record of the word at an address that the running thread has accessed; null: it has none.
const WordHistory* find_word(std::uintptr_t address);

// There will be accesses to the device's range from `address` on, a multiple of a page.
void make_history(std::uintptr_t address, std::size_t size_bytes);

// Most of it will be accessed.
void expect_accesses(std::uintptr_t address, std::size_t size_bytes);

// Flags of bytes there may have been cleared, although they are still allocated.
void forget_written(std::uintptr_t address, std::size_t size_bytes);

// The device's range from `address` on is no longer allocated.
void forget_accesses(std::uintptr_t address, std::size_t size_bytes);
// Everything.
void forget_accesses();

}  // namespace simt::device
