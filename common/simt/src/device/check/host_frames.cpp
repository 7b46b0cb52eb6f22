// SPDX-License-Identifier: MIT
#include "check/host_frames.h"

#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "program/own_parts.h"
#include "run/confined.h"
#include "run/return_stack.h"

namespace simt::device {
namespace {

struct Search {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool hits = false;
  std::uintptr_t frame = 0;  // of the function that visit() saw last, and
  bool is_own = false;       // whether that is one of the program's
};

bool meet(std::uintptr_t begin, std::uintptr_t end, const Search& stored) {
  return begin < stored.end && stored.begin < end;
}

// `caller` is where the function that was seen last returns to; there its frame ends.
_Unwind_Reason_Code visit(_Unwind_Context* caller, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::uintptr_t end = _Unwind_GetCFA(caller);
#if defined(__x86_64__)
  const std::uintptr_t return_address = end - sizeof end;
#else
  const std::uintptr_t return_address = end;  // somewhere in the frame
#endif
  search.hits = meet(search.is_own ? return_address : search.frame, end, search);
  search.frame = end;
  search.is_own = is_own_code(_Unwind_GetIP(caller));
  return search.hits || end >= search.end ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

// Whether it may be the value of a return address or of a pointer to a function.
bool leads_to_code(std::uintptr_t value) {
  return simt_confined.program.contains(value) || simt_confined.libraries.contains(value);
}

std::uintptr_t value_at(std::uintptr_t place) {
  std::uintptr_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof value);
  return value;
}

}  // namespace

bool hits_frame(const Access& access) {
  Search search = {access.address, access.address + access.size_bytes};
  if (search.end > closed_stack) return true;
  for (std::uintptr_t at = search.begin / sizeof at * sizeof at; at < search.end; at += sizeof at) {
    if (!leads_to_code(value_at(at))) continue;
    _Unwind_Backtrace(visit, &search);
    return search.hits;
  }
  return false;
}

}  // namespace simt::device
