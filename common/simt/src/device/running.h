// SPDX-License-Identifier: MIT
// What runs at the moment. One OS thread runs the whole device, so this is one global; the
// compiler's hooks read it at every memory access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.h"
#include "simt/memory.h"
#include "trace.h"

namespace simt::device {

class Grid;

// All addresses but the device's, going round past the last one.
inline constexpr std::uintptr_t kHostLow = kDeviceBase + kDeviceRangeBytes;
inline constexpr std::size_t kHostBytes = 0 - kDeviceRangeBytes;

struct Running {
  // The running fiber's stack: accesses in it are the thread's own and concern nobody. Outside of
  // kernels it is all but the device's range of addresses, so one comparison serves both questions.
  std::uintptr_t stack_low = kHostLow;
  std::size_t stack_bytes = kHostBytes;

  // The clock, in basic blocks, and when to look at what the thread is doing (see alarm()).
  std::uint64_t steps = 0;
  std::uint64_t alarm_step = UINT64_MAX;

  // Where a reference was bound that is misaligned for its type: no access yet (see
  // end_misaligned_reference).
  std::uintptr_t doubtful = 0;

  // Of the cache hints' accesses: one to this address counts as volatile.
  std::uintptr_t company = 0;

  // Events so far; only their changes matter.
  std::uint64_t reads = 0;
  std::uint64_t changes = 0;   // memory was written, a thread or a block ended
  std::uint64_t switches = 0;  // of fibers

  // Polling (see poll.h).
  std::uint64_t slept = 0;           // nanoseconds; part of the clock
  std::uint64_t idle_steps = 0;      // spent on polling in vain since the grid last saw a change
  std::uint64_t polled_changes = 0;  // `changes` at the last poll
  int impatience = 0;                // of the polls since then

  Grid* grid = nullptr;  // null outside of kernels
  Block* block = nullptr;
  Warp* warp = nullptr;
  int lane_id = 0;
  Fiber* fiber = nullptr;
  LaneTrace* trace = nullptr;  // of the running lane; null unless its kernel is being counted

  // Changes whenever a thread does anything that can be seen.
  std::uint64_t activity() const { return steps + reads + changes + switches; }

  bool is_private(std::uintptr_t address) const { return address - stack_low < stack_bytes; }

  // Whether a kernel's thread runs, and not the host, nor the emulator on the thread's behalf
  // (see Untraced).
  bool in_kernel() const { return grid != nullptr && !is_private(0); }
  Lane& lane() const { return warp->lanes[lane_id]; }
  std::uint32_t lane_bit() const { return 1u << lane_id; }
};

extern Running running;

// While it lives, the emulator works on a fiber on its own behalf. Functions of the standard
// library that it shares with the program may be the program's copies, with hooks; these must not
// take its own data for the kernel's.
class Untraced {
 public:
  Untraced()
      : stack_low_(running.stack_low), stack_bytes_(running.stack_bytes), trace_(running.trace) {
    running.stack_low = 0;
    running.stack_bytes = SIZE_MAX;
    running.trace = nullptr;
  }
  ~Untraced() {
    running.stack_low = stack_low_;
    running.stack_bytes = stack_bytes_;
    running.trace = trace_;
  }
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  std::uintptr_t stack_low_;
  std::size_t stack_bytes_;
  LaneTrace* trace_;
};

// The storage behind threadIdx and its like, which programs see as constants.
extern uint3 thread_index asm("threadIdx");
extern uint3 block_index asm("blockIdx");
extern dim3 block_dim asm("blockDim");
extern dim3 grid_dim asm("gridDim");

}  // namespace simt::device
