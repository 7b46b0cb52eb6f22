// SPDX-License-Identifier: MIT
// What every atomic access comes down to, CUDA's and the compiler's.
#pragma once

#include <cstring>

#include "poll.h"
#include "running.h"

namespace simt::device {

// Replaces *address by update(*address) and returns the old value. `polls`: if the value stays the
// same, the thread is taken to wait for another one. pc: the caller's.
template <class T, class Update>
T read_modify_write(T* address, const void* pc, bool polls, Update update) {
  if (running.grid == nullptr) {  // on the host other threads may run at the same time
    T old, next;
    __atomic_load(address, &old, __ATOMIC_SEQ_CST);
    do {
      next = update(old);
    } while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
  }
  running.lane().pc = pc;
  const T old = *address;
  const T next = update(old);
  if (std::memcmp(&old, &next, sizeof(T)) != 0) {
    *address = next;
    ++running.changes;
  } else if (polls) {
    poll(address, pc);
  }
  return old;
}

template <class T>
T load(const T* address, const void* pc) {
  T value;
  if (running.grid == nullptr) {
    __atomic_load(address, &value, __ATOMIC_SEQ_CST);
  } else {
    running.lane().pc = pc;
    ++running.reads;
    poll(address, pc);
    value = *const_cast<const volatile T*>(address);  // after others may have run
  }
  return value;
}

template <class T>
void store(T* address, T value, const void* pc) {
  if (running.grid == nullptr) {
    __atomic_store(address, &value, __ATOMIC_SEQ_CST);
  } else {
    running.lane().pc = pc;
    *address = value;
    ++running.changes;
  }
}

}  // namespace simt::device
