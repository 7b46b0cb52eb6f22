// SPDX-License-Identifier: MIT
// The filter of system calls of a worker under a checker. The sandbox cannot install it: the
// checker starts programs of its own.
#pragma once

namespace worker {

// The first thing that the process does, before any initialiser of the rung: from here on it and
// its threads have the filter that $LOCKSTEP_FILTER names a file of (grader: confine/seccomp.py).
// Ends the process if there is one and it cannot be installed; does nothing without one.
void take_filter(int num_arguments, char** arguments, char** environment);

}  // namespace worker
