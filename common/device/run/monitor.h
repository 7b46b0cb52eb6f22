// SPDX-License-Identifier: MIT
// What a running launch tells those who watch it: checks, counters, the recorder, the debugger.
// They see one stream of events, and do not know of each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "code/program.h"

namespace run {

using code::kWarpSize;

struct Launch;
struct Block;
struct Warp;

enum class Space : std::uint8_t { kGlobal, kShared, kLocal, kConst, kParam };

enum class Pattern : std::uint8_t {
  kUniform,     // all lanes at one address
  kContiguous,  // lane i at address_of_lane_0 + i * size_bytes, also with lanes missing
  kOther,
};

enum class Order : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel };
enum class Scope : std::uint8_t { kBlock, kCluster, kDevice, kSystem };

// What a memory instruction is whenever it is executed; the space of a generic one is found then.
struct AccessForm {
  const code::Instruction* instruction = nullptr;
  std::uint32_t size_bytes = 4;  // of one lane's access: element_bytes * num_elements
  Space space = Space::kGlobal;
  Order order = Order::kWeak;
  Scope scope = Scope::kDevice;
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;       // read-modify-write; red, too
  bool is_async = false;        // a side of cp.async or of a bulk copy, a factor of wgmma
  bool is_async_proxy = false;  // of those, all but cp.async
  bool continues = false;       // a further piece of the same bulk copy
  bool bypasses_cache = false;  // .cg, .cv, .wt: a look at, or a word for, other blocks
  bool is_barrier = false;      // of a barrier object: its phases order threads, not the access
  std::uint8_t element_bytes = 4;
  std::uint8_t num_elements = 1;  // 2, 4: a vector
};

// One memory instruction of a warp; all lanes go to one space. Where lanes of a generic access go
// to different spaces, there is one Access for each.
struct Access : AccessForm {
  std::uint32_t lanes = 0;  // that take part
  Pattern pattern = Pattern::kOther;
  // Generic addresses for global and const memory; offsets for shared, local and param. Valid for
  // the lanes that take part.
  alignas(64) std::array<std::uint64_t, kWarpSize> address;
  // The first lane's, and of contiguous ones what lane 0 would have.
  std::uint64_t base = 0;
  // kShared: whose memory it is, another block's of the cluster at times. kLocal: never the
  // thread's own, of which no monitor is told; addresses are generic.
  Block* owner = nullptr;

  // Of a plain store from registers: where the values are, element e of lane l at values[e] +
  // l * value_stride. Null: not known, so two stores to one place count as different.
  std::array<const std::byte*, 8> values = {};
  std::uint32_t value_stride = 4;
  // kShared: the other block of the cluster whose memory it is; null: the warp's own.
  Block* remote = nullptr;

  // Filled by the checks for reads. Lanes whose element holds no byte that was ever written; and
  // lanes of which another element of the same vector does. `run` reports a register with such
  // contents when it is used.
  std::array<std::uint32_t, 8> unwritten = {};
  std::uint32_t partly_written = 0;
};

// A watcher. Each function has a default that does nothing. access() may end the kernel by
// throwing Fault (run/fault.h), or take lanes out of access.lanes: they are not executed, and a
// read gives them 0.
class Monitor {
 public:
  virtual ~Monitor() = default;

  virtual void launch_begins(Launch&) {}
  virtual void launch_ends(Launch&) {}
  virtual void block_starts(Block&) {}  // its shared memory is fresh
  virtual void block_ends(Block&) {}

  virtual void access(Warp&, Access&) {}       // before it happens
  virtual void wrote(Warp&, const Access&) {}  // what it stored is in memory
  // A read through a texture or surface, which access() has admitted.
  virtual void reads_image(Warp&, const Access&) {}
  // The lanes use a register that holds what `read` found unwritten.
  virtual void uses_unwritten(Warp&, const Access& /*read*/, std::uint32_t /*element*/,
                              std::uint32_t /*lanes*/) {}

  // Orders. Threads that met each other: what each did before is before what each does after.
  virtual void block_meets(Block&, const code::Instruction&) {}  // all live threads
  // A named barrier, told apart by `barrier`: those that wait there. Threads that only arrive have
  // called releases() with it then.
  virtual void threads_meet(Block&, std::span<const std::uint32_t> /*lanes_by_warp*/,
                            const code::Instruction&, const void* /*barrier*/) {}
  virtual void lanes_meet(Warp&, std::uint32_t /*lanes*/, const code::Instruction&) {
  }  // __syncwarp
  virtual void grid_meets(Launch&) {}
  virtual void cluster_meets(std::span<Block* const>) {}
  virtual void fence(Warp&, std::uint32_t /*lanes*/, Scope) {}  // release and acquire
  // Of what is no Access: mbarrier, barriers that split. An Access's own order is in it. `barrier`:
  // to those alone that meet there, or acquire from it; null: to all.
  virtual void releases(Warp&, std::uint32_t /*lanes*/, Scope, const void* /*barrier*/) {}
  // What was released to `barrier`, or to all before its last phase was complete. Null: before the
  // last phase of the cluster's barrier was.
  virtual void acquires(Warp&, std::uint32_t /*lanes*/, Scope, const void* /*barrier*/) {}

  // A phase of a barrier object (mbarrier) for this many arrivals is complete. `barrier`: which
  // object, as acquires() names it; null: the cluster's barrier.
  virtual void phase_completes(Block&, const code::Instruction&, std::uint32_t /*expected*/,
                               const void* /*barrier*/) {}

  // cp.async: the copy's read and its write are Accesses of their own (is_async), then it begins.
  // What it writes arrives when the thread waits; until then the destination holds poison.
  virtual void copy_begins(Warp&, const Access& /*destination*/) {}
  virtual void copy_arrives(Warp&, const Access& /*destination*/) {}
  virtual void copies_committed(Warp&, std::uint32_t /*lanes*/) {}
  virtual void copies_waited(Warp&, std::uint32_t /*lanes*/, std::uint32_t /*num_left*/) {}

  // wgmma and bulk copies from shared memory read it from now on, until their warp or thread has
  // waited for them.
  virtual void async_read_begins(Warp&, const Access& /*source*/) {}
  virtual void async_read_ends(Warp&, const Access& /*source*/) {}
  // And what they write in global memory is complete, except for each lane's last groups.
  virtual void bulk_stores_complete(Warp&, std::uint32_t /*lanes*/, std::uint32_t /*num_left*/) {}
  // fence.proxy.async: what the lanes wrote before is before what the async proxy reads after it.
  virtual void fence_async_proxy(Warp&, std::uint32_t /*lanes*/) {}

  // For counters and records.
  virtual void enters_block(Warp&, const code::Block&, std::uint32_t /*lanes*/) {}
  virtual void diverges(Warp&, const code::Instruction&, std::uint32_t /*taken*/,
                        std::uint32_t /*not_taken*/) {}
  virtual void warp_operation(Warp&, std::uint32_t /*lanes*/, const code::Instruction&) {}
  // mma: a warp's product of matrices.
  virtual void multiplies(Warp&, const code::Instruction&, std::uint64_t /*multiply_adds*/) {}
  virtual void arrives_at_barrier(Warp&, std::uint32_t /*lanes*/, const code::Instruction&) {}
  virtual void executes(Warp&, const code::Op&, std::uint32_t /*lanes*/) {}  // if wants_each_op()
  virtual bool wants_each_op() const { return false; }
  virtual bool wants_blocks() const { return false; }  // enters_block()
  // Of threads' own variables in memory: arrays whose indices the compiler does not know. Their
  // addresses are within each thread's.
  virtual void touches_local(Warp&, const Access&) {}
  virtual bool wants_locals() const { return false; }
};

}  // namespace run
