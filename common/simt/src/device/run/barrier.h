// SPDX-License-Identifier: MIT
// The barrier of a block: which threads have arrived, and when all go on.
#pragma once

#include "simt/sync.h"

namespace simt::device {

struct Block;

// The running thread has come to the barrier by `call`, at its `pc`. It waits from now on: the
// caller has to run others, unless it was the last.
void arrive_at_barrier(bool predicate, const BarrierCall& call);

// The same for the grid's barrier, which the grid releases.
void arrive_at_grid_barrier();

// Lets the threads at the block's barrier go on if all live threads are there.
void release_barrier_if_complete(Block& block);

}  // namespace simt::device
