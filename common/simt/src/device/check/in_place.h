// SPDX-License-Identifier: MIT
// The commonest accesses, decided where they are announced: to words that were written before, by
// a thread that races with no access that is remembered. They leave the records that check_access()
// leaves. It decides whatever is left over.
#pragma once

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
      : order_(running.checks->order),
        first_current_(first_current_stamp),
        own_(order_.stamp | Stamp{running.thread_id} << kThreadShift |
             bytes_of(address, size_bytes) << kBytesShift) {}

  // False only if check_access() finds no race of the two either.
  [[gnu::always_inline]] bool may_race(Stamp earlier) const {
    if (earlier < first_current_ || same_thread(earlier, own_)) return false;
    return ordinal_of(earlier) != order_.ordinal || tick_of(earlier) >= order_.barrier_tick;
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

  const BlockOrder& order_;
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

// Whether the access of 1, 2, 4, 8 or 16 bytes, neither atomic nor volatile, is decided. A thread
// that is counted or recorded takes the long way.
[[gnu::always_inline]] inline bool decide_in_place(Does does, std::uintptr_t address,
                                                   std::size_t size_bytes, const void* pc) {
  if (!running.decides_in_place || running.trace != nullptr) return false;
  if (address % size_bytes != 0) return false;
  WordHistory* word;
  SharedRegion* region = nullptr;
  if (is_device_address(reinterpret_cast<const void*>(address))) {
    word = device_words + (address - kDeviceBase) / 4;
  } else {
    region = running.checks->shared.region_of(address);
    if (region == nullptr || !region->written.all(address, size_bytes)) return false;
    word = region->history.data() + (address - region->low / 4 * 4) / 4;
  }
  const PlainAccess access(address, size_bytes);
  for (std::size_t done = 0; done < size_bytes; done += 4, ++word) {
    if (region == nullptr && word->is_written == 0 && !is_written(*word, address + done)) {
      return false;
    }
    if (access.may_race(word->write)) return false;
    if (does == Does::kRead) {
      access.note_read(*word, pack_pc(pc));
    } else {
      if (access.may_race(word->reads[0]) || access.may_race(word->reads[1])) return false;
      access.note_write(*word, pack_pc(pc));
    }
  }
  return true;
}

}  // namespace simt::device
