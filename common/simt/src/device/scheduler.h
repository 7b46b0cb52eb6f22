// SPDX-License-Identifier: MIT
// Taking turns: which lane of a block runs when one has to wait.
#pragma once

#include "running.h"

namespace simt::device {

// Runs the block's threads until none of them can go on: all have ended, wait or have yielded.
// Called on the host's stack; the block's shared memory must be in place.
void run_block(Block& block);

// The running lane has been taken out of its warp's `ready` set (or put back already): lets others
// run and returns when this lane has its next turn.
void run_others();

// Ends the running kernel from a fiber: the host's stack goes on inside run_block(), which returns.
[[noreturn]] void leave_kernel();

// Makes all fibers idle after leave_kernel().
void abandon_fibers();

}  // namespace simt::device
