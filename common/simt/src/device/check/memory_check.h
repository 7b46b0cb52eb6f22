// SPDX-License-Identifier: MIT
// Checks that a kernel's memory accesses are to allocated, written and aligned memory. The
// compiler's hooks and the atomic functions call it before each access that is not to the thread's
// own stack.
#pragma once

#include "program/access.h"
#include "simt/checks.h"

namespace simt::device {

// Reports what is wrong with the access and records what it does. Ends the kernel if the access
// cannot be made: misaligned, or to memory of the host. Outside of kernels: the host touches the
// device's memory, which is a sticky error.
void check_access(const Access& access);

// See set_checks().
extern Checks checks_made;
extern bool checks_were_chosen;  // it was called

// Whether the code there is the running launch's own: it reads the host's memory to find the kernel
// and its arguments.
bool is_of_launch(const void* pc);

}  // namespace simt::device
