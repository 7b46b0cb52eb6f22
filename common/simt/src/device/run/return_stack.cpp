// SPDX-License-Identifier: MIT
#include "run/return_stack.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unwind.h>

#include <algorithm>
#include <cstring>

#include "program/address.h"
#include "run/confined.h"
#include "simt/confine.h"
#include "simt/page.h"

extern "C" void* __libc_stack_end;  // the first, and so highest, address of the host's stack

namespace simt::device {

std::uintptr_t closed_stack = UINTPTR_MAX;

extern "C" {
ReturnStack simt_return_stack;
}

namespace {

constexpr std::size_t kMaxHostStackBytes = std::size_t{64} << 20;  // further calls are not noted
// More than for all threads that may be resident, each with its shadow: they take 17 GiB.
constexpr std::size_t kFiberRoomBytes = std::size_t{24} << 30;

std::uintptr_t g_room = 0;  // the next fibers'
std::uintptr_t g_room_end = 0;

_Unwind_Reason_Code note(_Unwind_Context* frame, void*) {
  const std::uintptr_t place = _Unwind_GetCFA(frame) - sizeof(std::uintptr_t);
  const ReturnStack& own = simt_return_stack;
  if (!own.stack.contains(place)) return _URC_NO_REASON;
  std::memcpy(reinterpret_cast<void*>(place + own.to_shadow), reinterpret_cast<void*>(place),
              sizeof place);
  return _URC_NO_REASON;
}

}  // namespace

void begin_shadows() {
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  const std::size_t host_bytes =
      std::min<std::size_t>(limit.rlim_cur, kMaxHostStackBytes) / page_bytes() * page_bytes();
  const std::uintptr_t end = number(__libc_stack_end) / page_bytes() * page_bytes() + page_bytes();
  const std::size_t bytes = host_bytes + kFiberRoomBytes;
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return;  // as where g++ does not announce returns
  simt_confined.stacks = {number(room), bytes};
  simt_confined.host_stack = end - host_bytes;
  g_room = number(room) + host_bytes;
  g_room_end = number(room) + bytes;
  simt_return_stack = {{end - host_bytes, host_bytes}, number(room) - (end - host_bytes)};
  _Unwind_Backtrace(note, nullptr);
}

void* map_stacks(std::size_t size_bytes) {
  if (g_room_end - g_room >= 2 * size_bytes) {
    void* const room = reinterpret_cast<void*>(g_room);
    g_room += 2 * size_bytes;
    return room;
  }
  void* const room = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room == MAP_FAILED ? nullptr : room;
}

}  // namespace simt::device

void simt::close_stack(const void* from) { device::closed_stack = device::number(from); }
