// SPDX-License-Identifier: MIT
#include "check/race_shadow.h"

#include <algorithm>
#include <span>

#include "check/address_space.h"
#include "check/block_checks.h"
#include "check/order.h"
#include "check/races.h"
#include "check/way.h"
#include "program/address.h"
#include "run/block.h"
#include "run/running.h"
#include "simt/memory.h"

namespace simt::device {

constinit WordHistory* device_words = nullptr;

namespace {

constexpr std::uintptr_t kWordBytes = 4;
constexpr std::size_t kDeviceHistoryBytes =
    skewed_record(kDeviceRangeBytes / kWordBytes) * sizeof(WordHistory);

std::size_t global_history_bytes() {
  const std::size_t words = (number(&_end) - number(&__executable_start)) / kWordBytes + 1;
  return (skewed_record(words) + 1) * sizeof(WordHistory);
}

// About the whole device's range; memory is behind it only where something is allocated.
WordHistory* device_history() {
  if (device_words == nullptr) {
    device_words = static_cast<WordHistory*>(reserve_address_space(kDeviceHistoryBytes));
  }
  return device_words;
}

WordHistory* global_history() {
  static auto* const history = [] {
    void* const room = reserve_address_space(global_history_bytes());
    commit(room, global_history_bytes());
    return static_cast<WordHistory*>(room);
  }();
  return history;
}

// Accesses that may communicate on purpose. A plain read next to atomics counts as an optimistic
// read that a compare-and-swap verifies afterwards, as in NVIDIA's own examples.
bool are_meant(Stamp earlier, Stamp now, bool earlier_writes, bool now_writes, bool is_shared) {
  constexpr Stamp kEither = kAtomicBit | kVolatileBit;
  if ((earlier & kEither) != 0 && (now & kEither) != 0) {
    // In shared memory, programs often use volatile as a barrier between the lanes of a warp, which
    // it is not. With fences, they may be polling.
    const bool is_warp_synchronous = is_shared && (earlier & now & kVolatileBit) != 0 &&
                                     same_warp(earlier, now) && !has_fences(earlier);
    return !is_warp_synchronous;
  }
  return (!earlier_writes && (now & kAtomicBit) != 0) ||
         (!now_writes && (earlier & kAtomicBit) != 0);
}

// Whether the two are a race. Most pairs are decided by the first two comparisons.
bool conflict(Stamp earlier, Stamp now, bool earlier_writes, bool now_writes, bool is_shared) {
  if (same_thread(earlier, now) || !is_current(earlier)) return false;
  return share_bytes(earlier, now) &&
         !are_meant(earlier, now, earlier_writes, now_writes, is_shared) && !is_ordered(earlier);
}

// These are inlined into the two functions below: each access goes through them.
[[gnu::always_inline]] inline void note_read(WordHistory& word, Stamp now, std::uint32_t pc) {
  const int slot =
      word.reads[0] == 0 || same_thread(word.reads[0], now) || !is_current(word.reads[0]) ? 0 : 1;
  word.reads[slot] = now;
  word.read_pcs[slot] = pc;
}

void note_write(WordHistory& word, Stamp now, std::uint32_t pc) {
  word.write = now;
  word.write_pc = pc;
  word.reads[0] = word.reads[1] = 0;
}

template <bool is_shared>
[[gnu::always_inline]] inline void check_word(WordHistory& word, Stamp now, const Access& access) {
  const std::uint32_t pc = pack_pc(access.pc);
  // Shared memory of an earlier block is other memory.
  const auto counts = [&](Stamp earlier) {
    return earlier != 0 && (!is_shared || ordinal_of(earlier) == ordinal_of(now));
  };
  if (counts(word.write) && conflict(word.write, now, true, access.writes, is_shared)) {
    report_race({word.write, word.write_pc, true}, access, is_shared);
  } else if (access.writes) {
    for (int i = 0; i < 2; ++i) {
      if (counts(word.reads[i]) && conflict(word.reads[i], now, false, true, is_shared)) {
        report_race({word.reads[i], word.read_pcs[i], false}, access, is_shared);
        break;
      }
    }
  }
  if (access.writes) {
    note_write(word, now, pc);
  } else {
    note_read(word, now, pc);
  }
}

}  // namespace

namespace {

void forget_hint() {
  hinted_address = 0;
  choose_way();
}

template <bool is_shared>
[[gnu::always_inline]] inline void check_words(WordHistory* history, std::uintptr_t low,
                                               const Access& access) {
  const BlockOrder& order = running.checks->order;
  const auto thread = static_cast<Stamp>(running.warp->thread_id(running.lane_id));
  const bool is_volatile = access.is_volatile || access.address == hinted_address;
  if (hinted_address != 0) forget_hint();
  const Stamp who = order.stamp | thread << kThreadShift | (is_volatile ? kVolatileBit : 0) |
                    (access.is_atomic ? kAtomicBit : 0);
  std::uintptr_t at = access.address;
  const auto word_at = [&](std::uintptr_t address) -> WordHistory& {
    const std::size_t index = (address - low) / kWordBytes;
    return history[is_shared ? index : skewed_record(index)];
  };
  if (at % kWordBytes == 0 && access.size_bytes == kWordBytes) {  // most accesses
    return check_word<is_shared>(word_at(at), who | Stamp{15} << kBytesShift, access);
  }
  const std::uintptr_t end = at + access.size_bytes;
  while (at < end) {
    const std::uintptr_t word_end = at / kWordBytes * kWordBytes + kWordBytes;
    const std::uintptr_t stop = std::min(word_end, end);
    const Stamp bytes = ((Stamp{1} << (stop - at)) - 1) << at % kWordBytes;
    check_word<is_shared>(word_at(at), who | bytes << kBytesShift, access);
    at = stop;
  }
}

}  // namespace

void check_shared_race(WordHistory* history, std::uintptr_t low, const Access& access) {
  check_words<true>(history, low, access);
}

namespace {

std::uintptr_t global_low() { return number(&__executable_start) / kWordBytes * kWordBytes; }

// The record of a word of device memory or of the program's variables.
const WordHistory* history_of(std::uintptr_t address) {
  if (is_device_address(reinterpret_cast<const void*>(address))) {
    return device_history() + skewed_record((address - kDeviceBase) / kWordBytes);
  }
  return global_history() + skewed_record((address - global_low()) / kWordBytes);
}

}  // namespace

const WordHistory* find_word(std::uintptr_t address) {
  if (const SharedRegion* region = running.checks->shared.region_of(address)) {
    return &region->history[(address - region->low / kWordBytes * kWordBytes) / kWordBytes];
  }
  const bool is_variable = address - global_low() < number(&_end) - global_low();
  const bool is_recorded = is_variable || is_device_address(reinterpret_cast<void*>(address));
  return is_recorded ? history_of(address) : nullptr;
}

std::span<WordHistory> device_records(std::uintptr_t address, std::size_t size_bytes) {
  const std::uintptr_t offset = address - kDeviceBase;
  const std::size_t first = skewed_record(offset / kWordBytes);
  const std::size_t end = skewed_record((offset + size_bytes + kWordBytes - 1) / kWordBytes);
  return {device_history() + first, end - first};
}

std::span<WordHistory> variable_records() {
  return {global_history(), global_history_bytes() / sizeof(WordHistory)};
}

void check_device_race(const Access& access) {
  check_words<false>(device_history(), kDeviceBase, access);
}

void check_global_race(const Access& access) {
  check_words<false>(global_history(), global_low(), access);
}

std::optional<EarlierAccess> find_access(std::uintptr_t begin, std::uintptr_t end,
                                         std::uint32_t first_block, std::uint32_t end_block,
                                         Interest interest) {
  const auto is_by_them = [&](Stamp stamp) {
    return ordinal_of(stamp) >= first_block && ordinal_of(stamp) < end_block;
  };
  const WordHistory* word = history_of(begin);
  const WordHistory* const last = history_of(end - 1);
  for (; word <= last; ++word) {
    if (is_by_them(word->write)) return EarlierAccess{word->write, word->write_pc, true};
    if (interest == Interest::kWrites) continue;
    for (int i = 0; i < 2; ++i) {
      if (is_by_them(word->reads[i])) {
        return EarlierAccess{word->reads[i], word->read_pcs[i], false};
      }
    }
  }
  return std::nullopt;
}

void reserve_history() { device_history(); }

void make_history(std::uintptr_t address, std::size_t size_bytes) {
  const std::span records = device_records(address, size_bytes);
  commit(records.data(), records.size_bytes());
}

void expect_accesses(std::uintptr_t address, std::size_t size_bytes) {
  const std::span records = device_records(address, size_bytes);
  expect_use(records.data(), records.size_bytes());
}

void forget_written(std::uintptr_t address, std::size_t size_bytes) {
  for (WordHistory& word : device_records(address, size_bytes)) {
    if (word.is_written != 0) word.is_written = 0;  // a page that is only read takes no memory
  }
}

void forget_accesses(std::uintptr_t address, std::size_t size_bytes) {
  const std::span records = device_records(address, size_bytes);
  clear_pages(records.data(), records.size_bytes());
}

void forget_accesses() {
  discard_pages(device_history(), kDeviceHistoryBytes);
  discard_pages(global_history(), global_history_bytes());
}

}  // namespace simt::device
