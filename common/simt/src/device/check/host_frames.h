// SPDX-License-Identifier: MIT
// The frames on the stack of the host's code: which part of it a store may change, in a worker.
#pragma once

#include "program/access.h"

namespace simt::device {

// Whether a store to that stack goes to frames that are closed (see close_stack()), or overwrites
// an address of code by which a function that is active will return, or which another than the
// program's keeps for a call: the compiled functions of libraries compare no return addresses, as
// the program's do (see return_stack.h).
bool hits_frame(const Access& access);

}  // namespace simt::device
