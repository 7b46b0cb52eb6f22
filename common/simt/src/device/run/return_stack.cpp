// SPDX-License-Identifier: MIT
#include "run/return_stack.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

constexpr std::size_t kMaxHostStackBytes = std::size_t{64} << 20;  // no call of a rung gets so deep
// More than for all threads that may be resident, each with its shadow: they take 17 GiB.
constexpr std::size_t kFiberRoomBytes = std::size_t{24} << 30;

std::uintptr_t g_room = 0;  // the next fibers'
std::uintptr_t g_room_end = 0;

bool open_room(std::uintptr_t begin, std::size_t size_bytes) {
  return mprotect(reinterpret_cast<void*>(begin), size_bytes, PROT_READ | PROT_WRITE) == 0;
}

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
  const std::uintptr_t end = (number(__libc_stack_end) / page_bytes() + 1) * page_bytes();
  const std::size_t bytes = host_bytes + kFiberRoomBytes;
  // Without access, so that no system counts it as memory before it is used.
  void* const room =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED || !open_room(number(room), host_bytes)) {
    std::perror("simt: cannot map memory for return addresses");
    std::exit(EXIT_FAILURE);
  }
  simt_confined.stacks = {number(room), bytes};
  simt_confined.host_stack = end - host_bytes;
  g_room = number(room) + host_bytes;
  g_room_end = number(room) + bytes;
  simt_return_stack = {{end - host_bytes, host_bytes}, number(room) - (end - host_bytes)};
  _Unwind_Backtrace(note, nullptr);
}

void* map_stacks(std::size_t size_bytes) {
  if (g_room != 0) {
    const std::uintptr_t begin = g_room;
    if (g_room_end - begin < 2 * size_bytes || !open_room(begin, 2 * size_bytes)) return nullptr;
    g_room += 2 * size_bytes;
    return reinterpret_cast<void*>(begin);
  }
  void* const room = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room == MAP_FAILED ? nullptr : room;
}

}  // namespace simt::device

void simt::close_stack(const void* from) { device::closed_stack = device::number(from); }
