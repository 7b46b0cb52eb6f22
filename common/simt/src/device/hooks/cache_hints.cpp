// SPDX-License-Identifier: MIT
// Loads and stores that bypass the cache, which programs use like volatile ones.
#include "simt/cache_hints.h"

#include <cstdint>

#include "check/order.h"
#include "check/race_shadow.h"
#include "check/way.h"
#include "hooks/trace.h"
#include "program/place.h"
#include "run/part.h"
#include "run/poll.h"
#include "run/running.h"

namespace simt {
namespace {

void expect(const void* address) {
  if (device::running.launch != nullptr) device::require_whole_launch();
  device::hinted_address = reinterpret_cast<std::uintptr_t>(address);
  device::choose_way();
}

}  // namespace

void poll(const void* address) {
  if (device::running.launch == nullptr) return;
  if (device::running.is_private(reinterpret_cast<std::uintptr_t>(address))) return;
  device::poll(address, __builtin_return_address(0));
  device::order_acquire();
  expect(address);
}

void expect_company(const void* address) {
  device::hold_publication(address, SIMT_PLACE);
  ++device::running.changes;  // the store itself may not be announced
  expect(address);
}

}  // namespace simt
