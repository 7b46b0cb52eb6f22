// SPDX-License-Identifier: MIT
// The calls that -fsanitize=thread and -fsanitize-coverage=trace-pc put before memory accesses and
// basic blocks. Called billions of times: an access to the thread's own stack, and any access of
// the host's, leaves after one comparison.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "poll.h"
#include "running.h"

namespace {

using simt::device::running;

bool concerns_nobody(const volatile void* address) {
  return running.is_private(reinterpret_cast<std::uintptr_t>(address));
}

inline void on_read(const void* address) {
  if (!concerns_nobody(address)) ++running.reads;
}

inline void on_write(const void* address) {
  if (!concerns_nobody(address)) ++running.changes;
}

// Comes before the access, so the thread reads what others have written in the meantime.
inline void on_volatile_read(const void* address, const void* pc) {
  if (concerns_nobody(address)) return;
  ++running.reads;
  simt::device::poll(address, pc);
}

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() {
  if (++running.steps >= running.alarm_step) simt::device::alarm(__builtin_return_address(0));
}

#define SIMT_ACCESS_HOOKS(prefix, bytes)                       \
  void __tsan_##prefix##read##bytes(void* p) { on_read(p); }   \
  void __tsan_##prefix##write##bytes(void* p) { on_write(p); } \
  void __tsan_##prefix##volatile_read##bytes(void* p) {        \
    on_volatile_read(p, __builtin_return_address(0));          \
  }                                                            \
  void __tsan_##prefix##volatile_write##bytes(void* p) { on_write(p); }
SIMT_ACCESS_HOOKS(, 1)
SIMT_ACCESS_HOOKS(, 2)
SIMT_ACCESS_HOOKS(, 4)
SIMT_ACCESS_HOOKS(, 8)
SIMT_ACCESS_HOOKS(, 16)
SIMT_ACCESS_HOOKS(unaligned_, 2)
SIMT_ACCESS_HOOKS(unaligned_, 4)
SIMT_ACCESS_HOOKS(unaligned_, 8)
SIMT_ACCESS_HOOKS(unaligned_, 16)
#undef SIMT_ACCESS_HOOKS

void __tsan_read_range(void* p, std::size_t) { on_read(p); }
void __tsan_write_range(void* p, std::size_t) { on_write(p); }
void __tsan_vptr_update(void** p, void*) { on_write(p); }
void __tsan_vptr_read(void** p) { on_read(p); }

void* __tsan_memcpy(void* to, const void* from, std::size_t size_bytes) {
  on_read(from);
  on_write(to);
  return std::memcpy(to, from, size_bytes);
}

void* __tsan_memmove(void* to, const void* from, std::size_t size_bytes) {
  on_read(from);
  on_write(to);
  return std::memmove(to, from, size_bytes);
}

void* __tsan_memset(void* to, int value, std::size_t size_bytes) {
  on_write(to);
  return std::memset(to, value, size_bytes);
}

// Of no use here, but compilers call them.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"
