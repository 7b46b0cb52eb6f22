// SPDX-License-Identifier: MIT
#include "simt/call_stack.h"

#include <unwind.h>

#include <cstddef>

#include "program/source_line.h"

namespace simt {
namespace {

struct Walk {
  CallStack stack;
  std::size_t size = 0;
};

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  if (walk.size == walk.stack.return_addresses.size()) return _URC_END_OF_STACK;
  walk.stack.return_addresses[walk.size++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

}  // namespace

CallStack capture_call_stack() {
  Walk walk;
  _Unwind_Backtrace(visit_frame, &walk);
  return walk.stack;
}

SourcePlace program_place(const CallStack& stack) {
  for (const void* const return_address : stack.return_addresses) {
    if (return_address == nullptr) break;
    const device::SourceLine& line = device::source_line(return_address);
    if (line.line != 0) return {line.file, line.line};
  }
  return {};
}

std::string program_line_name(const CallStack& stack) {
  const SourcePlace place = program_place(stack);
  if (place.line == 0) return {};
  return "line " + std::to_string(place.line) + " of " + place.file;
}

}  // namespace simt
