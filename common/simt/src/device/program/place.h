// SPDX-License-Identifier: MIT
// A place in the program, and how deep it is in calls.
#pragma once

namespace simt::device {

// Taken by macro in the function that the kernel calls.
struct Place {
  const void* pc;     // the return address
  const void* frame;  // the stack pointer before the call: the deeper, the smaller
};
#define SIMT_PLACE \
  ::simt::device::Place { __builtin_return_address(0), __builtin_dwarf_cfa() }

}  // namespace simt::device
