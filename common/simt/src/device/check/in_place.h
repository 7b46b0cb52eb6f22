// SPDX-License-Identifier: MIT
// The commonest accesses, decided where they are announced: to words that were written before, by
// a thread that races with no access that is remembered. They leave the records that check_access()
// leaves. It decides whatever is left over.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "check/block_checks.h"
#include "check/device_shadow.h"
#include "check/launch_checks.h"
#include "check/order.h"
#include "check/race_shadow.h"
#include "check/races.h"
#include "program/address.h"
#include "run/running.h"
#include "simt/memory.h"

namespace simt::device {

// Compares the running thread's access with earlier ones.
class PlainAccess {
 public:
  [[gnu::always_inline]] PlainAccess(std::uintptr_t address, std::size_t size_bytes)
      : first_current_(first_current_stamp),
        own_(running.stamp | bytes_of(address, size_bytes) << kBytesShift) {}

  // False only if check_access() finds no race of the two either.
  [[gnu::always_inline]] bool may_race(Stamp earlier) const {
    if (earlier < first_current_ || same_thread(earlier, own_)) return false;
    const BlockOrder& order = running.checks->order;
    return ordinal_of(earlier) != order.ordinal || tick_of(earlier) >= order.barrier_tick;
  }

  [[gnu::always_inline]] void note_read(WordHistory& word, std::uint32_t pc) const {
    const Stamp first = word.reads[0];
    const int slot = first >= first_current_ && !same_thread(first, own_) ? 1 : 0;
    word.reads[slot] = own_;
    word.read_pcs[slot] = pc;
  }

  [[gnu::always_inline]] void note_write(WordHistory& word, std::uint32_t pc) const {
    word.write = own_;
    word.write_pc = pc;
    word.reads[0] = word.reads[1] = 0;
  }

 private:
  // Of one word; an access to several takes all bytes of each.
  [[gnu::always_inline]] static Stamp bytes_of(std::uintptr_t address, std::size_t size_bytes) {
    return size_bytes >= 4 ? 15 : ((Stamp{1} << size_bytes) - 1) << address % 4;
  }

  Stamp first_current_;
  Stamp own_;
};

// The word of the device's range at `address`. Remembers what it has seen: the flags are far away.
inline bool is_written(WordHistory& word, std::uintptr_t address) {
  if (!device_flags.all(address / 4 * 4, 4)) return false;
  word.is_written = 1;
  return true;
}

enum class Does { kRead, kWrite };

// The `offset` as a multiple of size_bytes; beyond all memory if it is none.
[[gnu::always_inline]] inline std::uintptr_t item_of(std::uintptr_t offset,
                                                     std::size_t size_bytes) {
  return std::rotr(offset, std::countr_zero(size_bytes));
}

// Compares the access to the aligned `size_bytes` from the first byte of `word` on, or to a part of
// it, with what is remembered, and remembers it; false: something has to be said about it.
// all_written(done): whether the word `done` bytes after the first was written.
template <class AllWritten>
[[gnu::always_inline]] inline bool decide_words(Does does, WordHistory* word,
                                                std::uintptr_t address, std::size_t size_bytes,
                                                const void* pc, AllWritten all_written) {
  const PlainAccess access(address, size_bytes);
  for (std::size_t done = 0; done < size_bytes; done += 4, ++word) {
    if (!all_written(*word, done) || access.may_race(word->write)) return false;
    if (does == Does::kRead) {
      access.note_read(*word, pack_pc(pc));
    } else {
      if (access.may_race(word->reads[0]) || access.may_race(word->reads[1])) return false;
      access.note_write(*word, pack_pc(pc));
    }
  }
  return true;
}

// Plain accesses of 1, 2, 4, 8 or 16 bytes by a kernel's thread that is neither counted nor
// recorded. `base` is running.read_base or write_base.

// Whether decide_in_device() may be asked.
[[gnu::always_inline]] inline bool is_in_device(std::uintptr_t base, std::uintptr_t address,
                                                std::size_t size_bytes) {
  return item_of(address - base, size_bytes) < kDeviceRangeBytes / size_bytes;
}

// Whether the access to the device's range is decided.
[[gnu::always_inline]] inline bool decide_in_device(Does does, std::uintptr_t base,
                                                    std::uintptr_t address, std::size_t size_bytes,
                                                    const void* pc) {
  const std::uintptr_t item = item_of(address - base, size_bytes);
  const std::uintptr_t word = size_bytes < 4 ? item / (4 / size_bytes) : item * (size_bytes / 4);
  WordHistory* const first = device_words + skewed_record(word);
  return decide_words(does, first, address, size_bytes, pc,
                      [address](WordHistory& word, std::size_t done) {
                        return word.is_written != 0 || is_written(word, address + done);
                      });
}

// Whether the access to anything else is decided, which is so in shared memory only.
[[gnu::always_inline]] inline bool decide_in_shared(Does does, std::uintptr_t base,
                                                    std::uintptr_t address, std::size_t size_bytes,
                                                    const void* pc) {
  if (base == kNowhere || address % size_bytes != 0) return false;
  SharedRegion* const region = running.checks->shared.region_of(address);
  if (region == nullptr || !region->written.all(address, size_bytes)) return false;
  WordHistory* const first = region->history.data() + (address - region->low / 4 * 4) / 4;
  return decide_words(does, first, address, size_bytes, pc,
                      [](const WordHistory&, std::size_t) { return true; });
}

}  // namespace simt::device
