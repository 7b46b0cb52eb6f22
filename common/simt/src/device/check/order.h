// SPDX-License-Identifier: MIT
// Which accesses come before which, whatever the schedule: by barriers, by __syncwarp, and by
// fences before and atomics after. In doubt, a pair counts as ordered: never reports an ordered
// pair as unordered.
//
// Each block has a clock that ticks at everything that may order. A fence releases what its thread
// has done, or knows of by barriers and __syncwarp, and a fence for the device also what the
// thread has acquired from others' fences for the block; an atomic or volatile read acquires
// whatever any thread has released by then. (A device orders less: only if the read sees what
// was written after the fence. NVIDIA's own programs omit the reader's fence, so none is required.)
#pragma once

#include <cstdint>

#include "check/block_checks.h"
#include "check/stamp.h"
#include "run/block.h"

namespace simt::device {

// The blocks of all launches are numbered in stamps, and numbers may run out.
std::uint32_t next_ordinal();
void skip_ordinals(std::uint32_t count);  // blocks that start in another process
bool are_ordinals_scarce();
void restart_ordinals();  // call when no access is remembered

// The events. The running thread's where no other is named.
void order_launch(std::uint32_t first_concurrent);  // first block of launches that may overlap
void order_block_start(BlockChecks& checks);
void order_turn_begin();
void order_barrier(BlockChecks& checks);
void order_grid_barrier_begin();  // everything before it, in all blocks, is ordered
void order_grid_barrier_block(BlockChecks& checks);
void order_warp_sync(const Warp& warp, std::uint32_t group);
void order_release(bool for_device);  // false: for the block only
void order_acquire();

// Whether the access `earlier` of this launch happens before what the running thread does now. They
// are by different threads.
bool is_ordered(Stamp earlier);

// Whether any thread of the stamp's block has executed a fence.
bool has_fences(Stamp stamp);

// Of a block of this launch: how many of the launch's blocks started before it.
std::uint64_t start_number(Stamp stamp);

// The first block of this launch, after its last grid barrier.
extern std::uint32_t first_current_ordinal;
extern Stamp first_current_stamp;  // the least that its threads can have

// Whether the stamp is of a launch on another stream without an ordering before this one.
bool is_concurrent(Stamp stamp);

// Whether the stamp is of this launch, and after its last grid barrier; or is_concurrent().
inline bool is_current(Stamp stamp) {
  return ordinal_of(stamp) >= first_current_ordinal || is_concurrent(stamp);
}

}  // namespace simt::device
