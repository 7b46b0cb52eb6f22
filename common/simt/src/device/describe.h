// SPDX-License-Identifier: MIT
// Findings about threads that wait, in words.
#pragma once

#include <string>

#include "block.h"

namespace simt::device {

// "thread 5 of block 3", or with coordinates "thread (5,0,0) of block (3,1,0)" where the grid or
// the block has more than one dimension: the running thread.
std::string running_thread_name();

// "block 3"
std::string block_name(const Block& block);

// What the block's live threads wait for, and where:
// "threads 0-31 wait at __syncthreads in line 12, thread 40 polls memory in line 20".
std::string describe_waiting(const Block& block);

// The call in which the block's first live thread waits; for the finding's line.
const void* first_waiting_pc(const Block& block);

// Two lanes of a warp wait for each other with different masks or in different operations.
bool has_mask_mismatch(const Block& block);

// barrier_divergence: the threads at the block's barrier came by different calls. Nothing is
// reported if the compiler has merely made copies of one line's call.
void report_mixed_barrier(const Block& block);

// barrier_divergence: the running lane is not part of the mask that it gave.
void report_lane_outside_mask(std::uint32_t mask);

// The running lane's shuffle has read a lane that its mask names, and that is not there any more.
void report_missing_source();

}  // namespace simt::device
