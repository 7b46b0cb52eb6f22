// SPDX-License-Identifier: MIT
// Where a lane is that is counted or recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "count/publications.h"
#include "count/trace.h"
#include "program/place.h"
#include "record/recorder.h"
#include "run/poll.h"
#include "run/running.h"

namespace simt::device {

inline void trace_step(Place place) {
  if (running.trace == nullptr) return;
  if (is_recording()) return stop_at_step(place);
  record_step(place);
}

inline void trace_access(AccessKind kind, const volatile void* address, std::size_t size_bytes,
                         Place place, bool polls = false) {
  if (running.trace == nullptr) return;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (is_recording()) return stop_at_access(kind, number, size_bytes, place);
  record_access(kind, number, size_bytes, place, polls);
}

// Before a volatile or an atomic store by the running thread. Others run first, if the schedule
// says so.
inline void hold_publication(const volatile void* address, Place place) {
  if (!running.holds_publications) return;
  if (may_publish_at(reinterpret_cast<std::uintptr_t>(address))) hold_back(place.pc);
}

// Such a store, an atomic operation that changes the word, or a load.
inline void trace_publication(const volatile void* address, Place place) {
  if (running.trace == nullptr || is_recording()) return;
  note_publication(reinterpret_cast<std::uintptr_t>(address), place);
}

inline void trace_update(const volatile void* address, Place place) {
  if (running.trace == nullptr || is_recording()) return;
  note_update(reinterpret_cast<std::uintptr_t>(address), place);
}

inline void trace_published_read(const volatile void* address) {
  if (running.trace == nullptr || is_recording()) return;
  note_published_read(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace simt::device
