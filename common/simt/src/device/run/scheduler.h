// SPDX-License-Identifier: MIT
// Taking turns: which lane of a block runs when one has to wait.
#pragma once

#include "run/fault.h"

namespace simt::device {

struct Block;

// Runs the block's threads until none of them can go on: all have ended, wait or have yielded.
// Called on the host's stack; the block's shared memory must be in place.
void run_block(Block& block);

// The running lane has been taken out of its warp's `ready` set (or put back already): lets others
// run and returns when this lane has its next turn.
void run_others();

// Ends the running kernel. Call on a fiber; nothing on any fiber runs again, not even destructors.
// The host's stack goes on inside run_block(), which returns.
[[noreturn]] void end_kernel(Fault fault);

// Makes all fibers idle after end_kernel().
void abandon_fibers();

// The calling thread is about to run kernels. What code on a fiber keeps of another thread is void.
void take_fibers();

}  // namespace simt::device
