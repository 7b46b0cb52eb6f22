// SPDX-License-Identifier: MIT
// What runs at the moment, on each OS thread of the host. One of them at a time runs the device;
// the hooks of the others see the host's own code. The compiler's hooks read it at every memory
// access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simt/memory.h"

namespace simt::device {

struct Block;
struct Fiber;
struct Lane;
struct Launch;
struct Warp;

// What the folders above keep for a block and for a lane; see Block and Lane.
struct BlockChecks;
struct LaneTrace;

// All addresses but the device's, wrapping around at the end.
inline constexpr std::uintptr_t kHostLow = kDeviceBase + kDeviceRangeBytes;
inline constexpr std::size_t kHostBytes = 0 - kDeviceRangeBytes;

// Further from all addresses than the device's range is long.
inline constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 62;

// The last basic blocks that were executed, by Running::steps (see path.h).
inline constexpr std::size_t kPathBlocks = 1024;
using Path = std::array<std::uint32_t, kPathBlocks>;
extern Path host_path;  // what host code executes; nothing reads it

// The launch's last reads of memory that is not a thread's own: more than a loop's condition makes.
inline constexpr std::uint32_t kLastReads = 8;

struct AddressRange {
  std::uintptr_t low = 0;
  std::size_t size_bytes = 0;

  bool contains(std::uintptr_t address) const { return address - low < size_bytes; }
};

struct Running {
  // The running fiber's stack: accesses in it are the thread's own and need no check. Outside of
  // kernels it is all but the device's range of addresses, so one comparison serves both questions.
  std::uintptr_t stack_low = kHostLow;
  std::size_t stack_bytes = kHostBytes;

  // The clock, in basic blocks, and when to look at what the thread is doing (see alarm()).
  std::uint64_t steps = 0;
  std::uint64_t alarm_step = UINT64_MAX;

  // When the running lane's turn began and when it last accessed memory since, in steps; and the
  // call that it had waited in (null: it starts).
  std::uint64_t turn_begin = 0;
  std::uint64_t last_access_step = 0;
  const void* turn_pc = nullptr;

  // Events so far; only their changes matter.
  std::uint64_t changes = 0;   // memory was written, a thread or a block ended
  std::uint64_t switches = 0;  // of fibers

  Launch* launch = nullptr;         // null outside of kernels
  bool holds_writes_back = false;   // the launch's loses_updates
  bool holds_publications = false;  // the launch's schedule's
  // No code of the launch announces what it does, and neither checkers nor counters ask for the
  // events of its turns.
  bool is_silent = false;
  AddressRange static_shared;
  AddressRange dynamic_shared;
  Block* block = nullptr;
  BlockChecks* checks = nullptr;  // the block's
  Warp* warp = nullptr;
  Lane* lane = nullptr;
  int lane_id = 0;
  std::uint64_t thread_id = 0;  // the lane's in its block
  std::uint64_t stamp = 0;  // of its accesses now, without their bytes and kind: see check/stamp.h
  // Where the device's range begins for accesses that are decided where they are announced, or
  // kNowhere: see choose_way() in check/way.h.
  std::uintptr_t read_base = kNowhere;
  std::uintptr_t write_base = kNowhere;
  Fiber* fiber = nullptr;
  LaneTrace* trace = nullptr;  // the lane's; null unless its kernel is being counted
  Path* path = &host_path;
  std::array<std::uintptr_t, kLastReads> last_reads = {};  // see note_read()
  std::uint32_t num_reads = 0;
  std::uint64_t warp_turn_begin = 0;  // when lanes of another warp or block ran last, in steps

  // The counts that go on from one kernel to the next.
  struct Clock {
    std::uint64_t steps = 0, changes = 0, switches = 0;
  };
  Clock clock() const { return {steps, changes, switches}; }
  void set_clock(const Clock& other) {
    steps = other.steps;
    changes = other.changes;
    switches = other.switches;
  }

  // Changes whenever a thread does anything observable: it reads memory in basic blocks.
  std::uint64_t activity() const { return steps + changes + switches; }

  bool is_private(std::uintptr_t address) const { return address - stack_low < stack_bytes; }

  // Whether a kernel's thread runs, and not the host, nor the emulator on the thread's behalf
  // (see Untraced).
  bool in_kernel() const { return launch != nullptr && !is_private(0); }
  std::uint32_t lane_bit() const { return 1u << lane_id; }

  void note_read(std::uintptr_t address) { last_reads[num_reads++ % kLastReads] = address; }
  std::uintptr_t last_read() const { return last_reads[(num_reads - 1) % kLastReads]; }
};

// Has initial values, so it is not part of shared memory (see shared_memory.h). The emulator is
// always linked into the executable, so access takes no more than a global's.
[[gnu::tls_model("local-exec")]] extern constinit thread_local Running running;

}  // namespace simt::device
