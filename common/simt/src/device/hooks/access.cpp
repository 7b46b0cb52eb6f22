// SPDX-License-Identifier: MIT
// The calls that -fsanitize=thread and -fsanitize-coverage=trace-pc put before memory accesses and
// basic blocks. Called billions of times: an access to the thread's own stack, and one of the
// host's to its own memory, leaves after one comparison.
#include "hooks/access.h"

#include <cstddef>
#include <cstdint>

#include "check/in_place.h"
#include "check/memory_check.h"
#include "check/order.h"
#include "check/own_memory.h"
#include "check/plain_poll.h"
#include "check/race_shadow.h"
#include "check/virtual_tables.h"
#include "check/way.h"
#include "hooks/trace.h"
#include "hooks/types.h"
#include "program/place.h"
#include "run/block.h"
#include "run/confined.h"
#include "run/part.h"
#include "run/path.h"
#include "run/poll.h"
#include "run/running.h"

namespace {

using simt::AccessKind;
using simt::device::Access;
using simt::device::check_access;
using simt::device::decide_in_device;
using simt::device::decide_in_shared;
using simt::device::Does;
using simt::device::hold_publication;
using simt::device::is_guarded;
using simt::device::is_in_device;
using simt::device::Place;
using simt::device::running;
using simt::device::trace_access;
using simt::device::trace_publication;
using simt::device::trace_published_read;

bool concerns_nobody(const volatile void* address) {
  return running.is_private(reinterpret_cast<std::uintptr_t>(address));
}

// A store that concerns no checker. A kernel's goes to its thread's stack.
void check_hosts_store(const void* address, std::size_t size_bytes, Place place) {
  if (running.launch != nullptr || !is_guarded(reinterpret_cast<std::uintptr_t>(address))) return;
  simt::device::check_guarded_store({.address = reinterpret_cast<std::uintptr_t>(address),
                                     .size_bytes = size_bytes,
                                     .writes = true,
                                     .pc = place.pc});
}

// kNatural: the access's type promises an address that is a multiple of its size. kOfReference:
// what the reference that it goes through promises, if it was bound to a misaligned address.
enum class Alignment { kNone, kNatural, kOfReference };

inline void check_reference(const Access& access, Alignment alignment) {
  if (alignment == Alignment::kOfReference && access.address == simt::device::doubtful_reference) {
    simt::device::end_misaligned_reference(access);
  }
}

[[gnu::noinline]] void on_read(const void* address, std::size_t size_bytes, Alignment alignment,
                               Place place, bool is_volatile = false) {
  if (concerns_nobody(address)) return;
  running.last_access_step = running.steps;
  const Access access = {.address = reinterpret_cast<std::uintptr_t>(address),
                         .size_bytes = size_bytes,
                         .reads = true,
                         .is_volatile = is_volatile,
                         .is_aligned_by_type = alignment == Alignment::kNatural,
                         .pc = place.pc};
  const bool polls = access.address == simt::device::hinted_address;  // until it is checked
  check_reference(access, alignment);
  check_access(access);
  running.note_read(access.address);
  trace_access(AccessKind::kRead, address, size_bytes, place, polls);
  if (polls) trace_published_read(address);
}

[[gnu::noinline]] void on_write(const void* address, std::size_t size_bytes, Alignment alignment,
                                Place place, bool is_volatile = false) {
  if (concerns_nobody(address)) return check_hosts_store(address, size_bytes, place);
  if (is_volatile) {
    hold_publication(address, place);
  } else if (running.holds_writes_back) {
    simt::device::hold_back(place.pc);
  }
  ++running.changes;
  running.last_access_step = running.steps;
  const Access access = {.address = reinterpret_cast<std::uintptr_t>(address),
                         .size_bytes = size_bytes,
                         .writes = true,
                         .is_volatile = is_volatile,
                         .is_aligned_by_type = alignment == Alignment::kNatural,
                         .pc = place.pc};
  const bool publishes = is_volatile || access.address == simt::device::hinted_address;
  check_reference(access, alignment);
  check_access(access);
  trace_access(AccessKind::kWrite, address, size_bytes, place);
  if (publishes) trace_publication(address, place);
}

bool is_unchecked() {
  return simt::device::checks_made == simt::Checks::kNone && running.trace == nullptr;
}

// What a type's plain access comes to, in most cases without a call: its size is a constant. Most
// are to device memory, so that comes first.
template <Alignment alignment>
[[gnu::always_inline]] inline bool is_decided(Does does, const void* address,
                                              std::size_t size_bytes, Place place) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t base = does == Does::kRead ? running.read_base : running.write_base;
  const bool is_doubtful = alignment == Alignment::kNone || (alignment == Alignment::kOfReference &&
                                                             simt::device::doubtful_reference != 0);
  if (!is_doubtful && is_in_device(base, number, size_bytes)) {
    if (!decide_in_device(does, base, number, size_bytes, place.pc)) return false;
  } else {
    if (running.is_private(number)) {
      return does == Does::kRead || running.launch != nullptr || !is_guarded(number);
    }
    if (is_doubtful) return false;
    if (!decide_in_shared(does, base, number, size_bytes, place.pc) && !is_unchecked())
      return false;
  }
  running.last_access_step = running.steps;
  if (does == Does::kRead) running.note_read(number);
  running.changes += does == Does::kWrite;
  return true;
}

// Comes before the access, so the thread reads what others have written in the meantime.
inline void on_volatile_read(const void* address, std::size_t size_bytes, Alignment alignment,
                             Place place) {
  if (concerns_nobody(address)) return;
  if (running.launch == nullptr) return on_read(address, size_bytes, alignment, place, true);
  running.last_access_step = running.steps;
  simt::device::poll(address, place.pc);
  simt::device::order_acquire();
  check_access({.address = reinterpret_cast<std::uintptr_t>(address),
                .size_bytes = size_bytes,
                .reads = true,
                .is_volatile = true,
                .is_aligned_by_type = alignment == Alignment::kNatural,
                .pc = place.pc});
  trace_access(AccessKind::kRead, address, size_bytes, place, true);
  trace_published_read(address);
}

inline void step(Place place) {
  simt::device::note_block(running.steps, place.pc);
  simt::device::trace_step(place);
}

// Out of line, so that the common case saves no registers.
[[gnu::noinline]] void step_after_alarm(Place place) {
  const auto polls = simt::device::plain_polls();
  simt::device::alarm(place.pc);
  for (const auto& poll : polls) {
    if (poll && simt::device::report_answer_to(*poll)) break;
  }
  step(place);
}

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() {
  if (++running.steps >= running.alarm_step) return step_after_alarm(SIMT_PLACE);
  step(SIMT_PLACE);
}

#define SIMT_ACCESS_HOOKS(prefix, bytes, alignment)                        \
  void __tsan_##prefix##read##bytes(void* p) {                             \
    if (is_decided<alignment>(Does::kRead, p, bytes, SIMT_PLACE)) return;  \
    on_read(p, bytes, alignment, SIMT_PLACE);                              \
  }                                                                        \
  void __tsan_##prefix##write##bytes(void* p) {                            \
    if (is_decided<alignment>(Does::kWrite, p, bytes, SIMT_PLACE)) return; \
    on_write(p, bytes, alignment, SIMT_PLACE);                             \
  }                                                                        \
  void __tsan_##prefix##volatile_read##bytes(void* p) {                    \
    on_volatile_read(p, bytes, alignment, SIMT_PLACE);                     \
  }                                                                        \
  void __tsan_##prefix##volatile_write##bytes(void* p) {                   \
    on_write(p, bytes, alignment, SIMT_PLACE, true);                       \
  }
SIMT_ACCESS_HOOKS(, 1, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 2, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 4, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 8, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 16, Alignment::kOfReference)  // a struct of two doubles needs 8 bytes
SIMT_ACCESS_HOOKS(unaligned_, 2, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 4, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 8, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 16, Alignment::kNone)
#undef SIMT_ACCESS_HOOKS

void __tsan_read_range(void* p, std::size_t size_bytes) {
  on_read(p, size_bytes, Alignment::kNone, SIMT_PLACE);
}
void __tsan_write_range(void* p, std::size_t size_bytes) {
  on_write(p, size_bytes, Alignment::kNone, SIMT_PLACE);
}
void __tsan_vptr_update(void** p, void*) {
  on_write(p, sizeof *p, Alignment::kNatural, SIMT_PLACE);
  if (running.in_kernel()) simt::device::require_whole_launch();
  simt::device::note_constructed(p);
}
void __tsan_vptr_read(void** p) { on_read(p, sizeof *p, Alignment::kNatural, SIMT_PLACE); }

// Of no use here, but compilers call them.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"

void simt::device::announce_read(const void* from, std::size_t size_bytes, Place place) {
  on_read(from, size_bytes, Alignment::kNone, place);
}

void simt::device::announce_write(const void* to, std::size_t size_bytes, Place place) {
  on_write(to, size_bytes, Alignment::kNone, place);
}
