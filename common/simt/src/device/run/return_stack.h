// SPDX-License-Identifier: MIT
// The return addresses of the program's functions once more, where the program cannot write: the
// shadow of its stacks. In a worker each function notes its own when it begins, and compares when
// it ends (hooks/return.cpp), so no store to the stack can send it elsewhere. x86-64 only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/running.h"

namespace simt::device {

struct ReturnStack {
  AddressRange stack;
  std::uintptr_t to_shadow = 0;  // the distance from an address in it to its copy
};

// The stack that runs. hooks/return.cpp knows its layout.
extern "C" ReturnStack simt_return_stack;

// Makes shadows from now on. That of the running stack, the host's, gets the addresses of all
// functions that are active. Ends the process if the system refuses the room.
void begin_shadows();

// Room for stacks of fibers; once there are shadows, with theirs right behind it. Null if the
// system has none.
void* map_stacks(std::size_t size_bytes);

// Frames that are not the program's: stores of the host's code from here on end it.
extern std::uintptr_t closed_stack;

}  // namespace simt::device
