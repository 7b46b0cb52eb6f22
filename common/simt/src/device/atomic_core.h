// SPDX-License-Identifier: MIT
// What every atomic access comes down to, CUDA's and the compiler's.
#pragma once

#include <cstddef>
#include <cstring>

#include "poll.h"
#include "running.h"

namespace simt::device {

// In a kernel one thread runs until it waits, so plain accesses are atomic. On the host other OS
// threads may run at the same time. (Atomics of 16 bytes would need libatomic there; nobody shares
// such objects.)
inline constexpr std::size_t kMaxHostAtomicBytes = 8;

// Notes where the running thread is, in case the access traps.
inline void note_place(const void* pc) {
  if (running.grid != nullptr) running.lane().pc = pc;
}

// Replaces *address by update(*address) and returns the old value. `polls`: if the value stays the
// same, the thread is taken to wait for another one. pc: the caller's.
template <class T, class Update>
T read_modify_write(T* address, const void* pc, bool polls, Update update) {
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.grid == nullptr) {
      T old, next;
      __atomic_load(address, &old, __ATOMIC_SEQ_CST);
      do {
        next = update(old);
      } while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
      return old;
    }
  }
  note_place(pc);
  const T old = *address;
  const T next = update(old);
  // Bit patterns, not values: -0.0 over 0.0 is a change.
  if (std::memcmp(&old, &next, sizeof(T)) != 0) {  // NOLINT(bugprone-suspicious-memory-comparison)
    *address = next;
    ++running.changes;
  } else if (polls && running.grid != nullptr) {
    poll(address, pc);
  }
  return old;
}

template <class T>
T load(const T* address, const void* pc) {
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.grid == nullptr) return __atomic_load_n(address, __ATOMIC_SEQ_CST);
  }
  if (running.grid != nullptr) {
    note_place(pc);
    ++running.reads;
    poll(address, pc);  // others may run here ...
  }
  return *const_cast<const volatile T*>(address);  // ... so this reads what they wrote
}

template <class T>
void store(T* address, T value, const void* pc) {
  if constexpr (sizeof(T) <= kMaxHostAtomicBytes) {
    if (running.grid == nullptr) return __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  }
  note_place(pc);
  *address = value;
  ++running.changes;
}

}  // namespace simt::device
