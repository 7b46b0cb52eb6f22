// SPDX-License-Identifier: MIT
// Which accesses come before which, whatever the schedule: by barriers, by warp operations, and by
// fences before and atomics after. Errs on the side of order: never is a pair called unordered that
// is not.
//
// Each block has a clock that ticks at everything that may order. A fence releases what its thread
// has done, or knows of by barriers and warp operations, and a fence for the device also what the
// thread has acquired from others' fences for the block; an atomic or volatile read acquires
// whatever has been released by then, by anybody. (A device orders less: only if the read sees what
// was written after the fence. NVIDIA's own programs leave the reader's fence out, so none is asked
// for.)
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/launch.h"
#include "simt/limits.h"
#include "stamp.h"

namespace simt::device {

struct Block;
struct Warp;

using LaneTicks = std::array<std::uint32_t, kWarpSize>;

struct WarpOrder {
  std::uint32_t tick = 0;  // all lanes knew of each other's accesses before it
  // Beyond that, tick [lane][other]: `lane` knows of `other`'s accesses before it. Empty if
  // nothing.
  std::vector<LaneTicks> known;
};

struct BlockOrder {
  std::uint32_t ordinal = 0;  // which block it is, in stamps
  std::uint32_t tick = 1;     // its clock
  std::uint32_t barrier_tick = 0;
  std::uint64_t horizon = 0;       // all threads know of what was released until then ...
  std::uint64_t next_horizon = 0;  // ... and from the next barrier on, until then

  bool overflowed() const { return tick >= kMaxTick; }  // too long to follow: no findings
};

// The events. The running thread's where no other is named.
void order_launch(const LaunchSite& site, cudaStream_t stream);
void order_launch_end();
void order_block_start(Block& block);
void order_barrier(Block& block);
void order_grid_barrier_begin();  // everything before it, in all blocks, is past
void order_grid_barrier_block(Block& block);
void order_warp_operation(Warp& warp, std::uint32_t group);
void order_release(bool for_device);  // false: for the block only
void order_acquire();

// Whether the access `earlier` of this launch happens before what the running thread does now. They
// are by different threads.
bool is_ordered(Stamp earlier);

// Whether any thread of the stamp's block has executed a fence.
bool has_fences(Stamp stamp);

// Whether the stamp is of this launch, and after its last grid barrier; or of a launch on another
// stream that nothing orders before this one.
bool is_current(Stamp stamp);

}  // namespace simt::device
