// SPDX-License-Identifier: MIT
// The events of a running launch, for the checkers and the counters. Those are above this folder,
// so the functions are declared here and defined in hooks/events.cpp: a direct call without an
// include.
#pragma once

#include <cstdint>

#include "simt/warp.h"

namespace simt::device {

struct Block;
struct Warp;
class SharedMemory;

// The block is new: fill its slots and its warps'.
void on_block_made(Block& block);

// The block begins with all its threads, or has ended.
void on_block_start(Block& block);
void on_block_end(const Block& block);

// Another block is about to get the shared memory, which still holds the last block's contents.
void on_shared_memory_leaves();

// The loaded shared memory is fresh, for this block.
void on_shared_memory_fresh(Block& block, const SharedMemory& memory);

// The running lane's turn begins.
void on_turn_begin();

// The running lane lets others run, or has ended.
void on_turn_end();
void on_lane_end();

// The running lane is the first to come to its block's barrier.
void on_first_at_barrier();

// All threads have come to the block's barrier, and none goes on yet.
void on_barrier(Block& block);

// The last thread that a barrier of a part of the block waits for has come to it.
void on_named_barrier(Block& block, int number);

// All threads that a barrier object of the block waits for have arrived. pc: of the last one's
// call.
void on_phase_of_block(Block& block, const void* pc);

// All threads have come to the grid's barrier; then the same, block by block.
void on_grid_barrier();
void on_grid_barrier(Block& block);

// The lanes of `group` have made a warp operation together.
void on_warp_operation(Warp& warp, std::uint32_t group, WarpOperation operation);

// The lanes of `group` have arrived at __activemask, which orders no accesses.
void on_convergence(Warp& warp, std::uint32_t group);

// No lane of a warp that is counted is ready.
void on_warp_stalls(Warp& warp);

// The running lane lets others run inside a basic block.
void on_yield();

}  // namespace simt::device
