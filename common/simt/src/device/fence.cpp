// SPDX-License-Identifier: MIT
// Threads take turns here and see each other's writes at once, so fences order nothing. But a
// thread may wait by means of them, around plain loads.
#include "poll.h"
#include "running.h"
#include "simt/atomic_access.h"
#include "simt/sync.h"

namespace {

void fence(const void* pc) {
  static const char fence_place = 0;
  if (simt::device::running.grid != nullptr) simt::device::poll(&fence_place, pc);
}

}  // namespace

void simt::atomic_fence(Ordering) { fence(__builtin_return_address(0)); }

void __threadfence_block() { fence(__builtin_return_address(0)); }
void __threadfence() { fence(__builtin_return_address(0)); }
void __threadfence_system() { fence(__builtin_return_address(0)); }
