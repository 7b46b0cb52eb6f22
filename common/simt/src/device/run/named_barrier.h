// SPDX-License-Identifier: MIT
// Barriers of a part of a block, by number: those of PTX, and one for each tile of more than a
// warp. As on a device, warps are counted: one has arrived when all its live lanes have.
#pragma once

#include <cstdint>

namespace simt::device {

struct Block;
struct Warp;

// The running thread has come to the barrier, at its `pc`. If it waits, the caller has to run
// others, unless it was the last. False if others have come for another number of threads.
bool arrive_at_named_barrier(int number, int num_threads, bool waits);

// A thread of the block has ended: no barrier waits for it any more.
void release_named_barriers(Block& block);

// The lanes of the warp that wait there.
std::uint32_t lanes_at(const Warp& warp, int number);

}  // namespace simt::device
