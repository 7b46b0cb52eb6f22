// SPDX-License-Identifier: MIT
// Threads take turns here and see each other's writes at once, so fences only change what counts as
// ordered for the checkers. A thread may also poll with plain loads between fences.
#include "check/order.h"
#include "run/poll.h"
#include "run/running.h"
#include "simt/atomic_access.h"
#include "simt/sync.h"

namespace {

void fence(const void* pc, bool for_device) {
  static const char fence_place = 0;
  if (simt::device::running.launch == nullptr) return;
  simt::device::order_release(for_device);
  simt::device::poll(&fence_place, pc);
}

}  // namespace

void simt::atomic_fence(Ordering ordering) {
  fence(__builtin_return_address(0), ordering.scope >= Scope::kDevice);
}

void __threadfence_block() { fence(__builtin_return_address(0), false); }
void __threadfence() { fence(__builtin_return_address(0), true); }
void __threadfence_system() { fence(__builtin_return_address(0), true); }
