// SPDX-License-Identifier: MIT
// The common part of every atomic access, CUDA's and the compiler's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check/host_race.h"
#include "check/memory_check.h"
#include "check/order.h"
#include "check/own_memory.h"
#include "hooks/trace.h"
#include "program/place.h"
#include "run/block.h"
#include "run/confined.h"
#include "run/poll.h"
#include "run/running.h"
#include "simt/atomic_access.h"
#include "simt/sealed.h"

namespace simt::device {

// A release access begins with a fence. Call before the access.
inline void note_order(MemoryOrder order, bool for_device) {
  if (running.launch == nullptr || running.is_silent) return;
  if (order != MemoryOrder::relaxed && order != MemoryOrder::acquire &&
      order != MemoryOrder::consume) {
    order_release(for_device);
  }
}

// In a kernel one thread runs until it waits, so plain accesses are atomic. On the host other OS
// threads may run at the same time. (Atomics of 16 bytes would need libatomic there; no code shares
// such objects.)
inline constexpr std::size_t kMaxHostAtomicBytes = 8;

// Notes where the running thread is, in case the access traps.
inline void note_place(Place place) {
  if (running.launch != nullptr) running.lane->pc = place.pc;
}

// Checks an atomic access of the running thread against the state of the memory. A load or a store
// counts as an access, too.
template <class T>
void check_atomic(const T* address, bool reads, bool writes, AccessKind kind, Place place) {
  if (running.launch == nullptr || running.is_silent ||
      running.is_private(reinterpret_cast<std::uintptr_t>(address))) {
    return;
  }
  order_acquire();
  running.last_access_step = running.steps;
  check_access({.address = reinterpret_cast<std::uintptr_t>(address),
                .size_bytes = sizeof(T),
                .reads = reads,
                .writes = writes,
                .is_atomic = true,
                .pc = place.pc});
  trace_access(kind, address, sizeof(T), place, kind == AccessKind::kRead);
}

// The host's atomic accesses are announced for this alone; see simt/sealed.h and simt/confine.h.
template <class T>
void check_hosts_atomic(const T* address, Place place, bool writes) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (running.launch != nullptr) return;
  const Access access = {
      .address = number, .size_bytes = sizeof(T), .reads = true, .writes = writes, .pc = place.pc};
  if (is_sealed(number)) check_access(access);
  if (writes && is_guarded(number)) check_guarded_store(access);
}

// Bit patterns, not values: -0.0 over 0.0 is a change.
template <class T>
bool changes_bits(const T& old, const T& next) {
  return std::memcmp(&old, &next, sizeof(T)) != 0;  // NOLINT(bugprone-suspicious-memory-comparison)
}

// Replaces *address by update(*address) and returns the old value. `polls`: if the value stays the
// same, the thread is taken to wait for another one. `reads`: the old value may matter. place: the
// caller's.
template <class T, class Update>
T read_modify_write(T* address, Place place, bool polls, Update update, bool reads = true) {
  check_hosts_atomic(address, place, true);
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.launch == nullptr) {
      note_flag_read(address);
      T old, next;
      __atomic_load(address, &old, __ATOMIC_SEQ_CST);
      do {
        next = update(old);
      } while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
      return old;
    }
  }
  note_place(place);
  if (running.holds_publications && may_publish_at(reinterpret_cast<std::uintptr_t>(address)) &&
      changes_bits(*address, update(*address))) {
    hold_back(place.pc);
  }
  check_atomic(address, reads, true, AccessKind::kAtomic, place);
  const T old = *address;
  const T next = update(old);
  if (changes_bits(old, next)) {
    *address = next;
    ++running.changes;
    trace_update(address, place);
  } else if (running.launch != nullptr) {
    trace_published_read(address);
    if (polls) poll(address, place.pc);
  }
  return old;
}

template <class T>
T load(const T* address, Place place) {
  check_hosts_atomic(address, place, false);
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.launch == nullptr) {
      note_flag_read(address);
      return __atomic_load_n(address, __ATOMIC_SEQ_CST);
    }
  }
  if (running.launch != nullptr) {
    note_place(place);
    poll(address, place.pc);  // others may run here ...
    check_atomic(address, true, false, AccessKind::kRead, place);
    trace_published_read(address);
  }
  return *const_cast<const volatile T*>(address);  // ... so this reads what they wrote
}

template <class T>
void store(T* address, T value, Place place) {
  check_hosts_atomic(address, place, true);
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.launch == nullptr) return __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  }
  note_place(place);
  hold_publication(address, place);
  check_atomic(address, false, true, AccessKind::kWrite, place);
  trace_publication(address, place);
  *address = value;
  ++running.changes;
}

}  // namespace simt::device
