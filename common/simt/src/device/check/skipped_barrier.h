// SPDX-License-Identifier: MIT
// Finds threads that bypass a barrier and leave the kernel while others wait there.
//
// A thread that has returned no longer counts at barriers, and returning early is allowed. So the
// code that such a thread executed decides. It bypassed the barrier if it executed a basic block
// after the barrier that a thread from the barrier also executes before it returns to code in front
// of the barrier. Basic blocks lie in memory in the order of the source (-fno-reorder-blocks), so
// "behind" is a larger address in the same function. But loops are tested at their end: what a
// thread that waits has executed as often on its way does not count. A barrier in a function that
// the kernel calls also has the place of that call in the kernel.
#pragma once

namespace simt::device {

struct Block;

// The running lane lets others run, or has ended, and there are leavers to compare with.
void look_for_skipped_barrier();
// The running lane has ended.
void note_leaver();
// It is the first to come to the block's barrier.
void note_waiter();
// All live threads have come to the block's barrier.
void watch_leavers(Block& block);

}  // namespace simt::device
