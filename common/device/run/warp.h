// SPDX-License-Identifier: MIT
// The state of a running launch: blocks, warps, and the parts into which a warp splits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/program.h"
#include "run/fault.h"
#include "run/monitor.h"

namespace run {

inline constexpr std::uint32_t kWarpsPerGroup = 4;  // of a warpgroup: wgmma, setmaxnreg

struct Dim {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// A function that a part of a warp has called, and where it goes on.
struct Frame {
  const code::Function* function = nullptr;
  const code::Op* return_to = nullptr;
  std::uint32_t base32 = 0, base64 = 0, base_predicate = 0;  // of its rows in the warp's files
  std::uint32_t local_base = 0;    // of its local memory, in bytes of a lane
  const code::Op* call = nullptr;  // in the caller
};

struct Part;

// Lanes that left a branch together and come together again at `at`, its post-dominator.
struct Join {
  const code::Op* at = nullptr;
  std::size_t depth = 0;       // number of frames there
  std::uint32_t expected = 0;  // lanes that are on their way or have arrived
  std::uint32_t arrived = 0;
  Part* waiting = nullptr;  // holds the lanes that have arrived
  bool is_broken = false;   // no lane waits here any more
  Join* outer = nullptr;
};

enum class Waiting : std::uint8_t {
  kNothing,
  kBarrier,  // of the block, or of a part of it
  kWarp,     // in a warp operation, for the other lanes of its mask
  kGrid,
  kCluster,
  kWarpgroup,  // in wgmma.wait_group, for the other warps of the group
  kMemory,     // polls; goes on at its next turn
  kJoin,
};

// Lanes of a warp with one program counter.
struct Part {
  const code::Op* next = nullptr;
  std::uint32_t lanes = 0;
  Waiting waiting = Waiting::kNothing;
  std::uint32_t mask = 0;       // kWarp: lanes that the operation is for
  std::uint32_t barrier = 0;    // kBarrier: its number
  bool has_yielded = false;     // the access at `next` has let others run already
  std::uint64_t last_poll = 0;  // address
  const code::Instruction* last_barrier = nullptr;
  std::vector<Frame> frames;  // the kernel's own first
  Join* join = nullptr;
};

// A register that holds what nothing has written.
struct Unwritten {
  code::File file = code::File::kNone;
  std::uint32_t row = 0;  // from the beginning of the file
  std::uint32_t lanes = 0;
  bool is_part_of_more = false;  // another element of the same access was written
  std::uint8_t element = 0;
  std::shared_ptr<const Access> read;
};

// A copy by cp.async that has not arrived.
struct AsyncCopy {
  std::uint8_t lane = 0;
  std::uint8_t size_bytes = 0;
  std::uint32_t batch = 0;
  std::uint64_t offset = 0;  // in shared memory
  std::array<std::byte, 16> contents;
  const code::Instruction* instruction = nullptr;
};

// A bulk copy from shared memory whose thread has not waited for it.
struct BulkRead {
  const code::Instruction* by = nullptr;
  std::uint8_t lane = 0;
  std::uint32_t group = 0;
  std::uint64_t offset = 0;  // in shared memory
  std::uint32_t size_bytes = 0;
};

// A product by wgmma that its warp has not waited for.
struct AsyncProduct {
  const code::Op* op = nullptr;
  std::uint32_t group = 0;
  std::uint64_t a = 0, b = 0;  // descriptors
};
// What such a product computes, in a register or in a word of local memory.
struct InFlight {
  const code::Instruction* by = nullptr;
  std::uint32_t group = 0;
  std::uint32_t lanes = 0;  // that hold it
};
struct AsyncProducts {
  std::vector<AsyncProduct> open;
  std::vector<InFlight> registers;                    // by row of 4 bytes; empty: there are none
  std::unordered_map<std::uint64_t, InFlight> local;  // by word of a lane's local memory
  std::uint32_t num_groups = 0;                       // committed
  std::uint32_t num_waits = 0;                        // that the warp has come to
  std::uint64_t history = 0;  // of all its products: equal in the warps of a group
  bool is_fenced = false;
};

// What a warp has set by setmaxnreg.
struct RegisterCount {
  const code::Instruction* set_by = nullptr;  // null: it has what the launch gave
  std::uint32_t count = 0;                    // per thread
};

struct Engine;
class Images;  // image.h

// Lanes at the cluster's barrier, which they come to and wait for by two instructions.
struct ClusterArrival {
  std::uint32_t arrived = 0;  // in the phase that is not complete
  std::uint32_t waits = 0;    // have arrived, and have not passed the wait that belongs to it
  std::uint32_t at_once = 0;  // `arrived` that release what they did, and only wait from there on
  std::uint32_t met = 0;      // `waits` whose phase was complete for all at once
};

struct Warp {
  // What handlers use, of the part that runs.
  std::byte* r32 = nullptr;  // rows of the frame that runs
  std::byte* r64 = nullptr;
  std::byte* predicates = nullptr;
  std::uint32_t lanes = 0;  // of the part that runs
  // All ones while no other part holds live lanes, so that rows may be written whole; else the same
  // as `lanes`.
  std::uint32_t only = 0;
  std::uint32_t carry = 0;  // the carry flag of each lane: add.cc and similar
  Part* part = nullptr;
  Engine* engine = nullptr;

  Block* block = nullptr;
  std::uint32_t id = 0;        // in the block
  std::uint32_t live = 0;      // lanes that have not ended
  std::uint32_t existing = 0;  // lanes that have a thread

  std::vector<std::unique_ptr<Part>> parts;        // with live lanes
  std::vector<std::unique_ptr<Part>> spare_parts;  // to be used again
  // The last warp operation of each lane, if it was for a part of the warp: those lanes' bits.
  std::uint32_t after_partial = 0;
  struct PartialOperation {
    const code::Instruction* instruction = nullptr;
    std::uint32_t mask = 0;
  };
  std::array<PartialOperation, kWarpSize> partial = {};
  bool has_lane_ahead = false;  // its first lane has gone ahead of the others
  std::vector<Unwritten> unwritten;
  std::vector<AsyncCopy> copies;  // oldest first
  std::vector<BulkRead> bulk_reads;
  AsyncProducts products;
  RegisterCount registers;
  ClusterArrival cluster;
  std::array<std::uint32_t, 8> exchanged = {};            // with other warps of its tile
  std::array<std::uint32_t, kWarpSize> batches = {};      // that each lane has committed
  std::array<std::uint32_t, kWarpSize> bulk_groups = {};  // the same, of bulk copies

  // Rows of all frames. Local memory: the words of the 32 lanes side by side.
  std::vector<std::byte> file32, file64, file_predicate;
  std::vector<std::uint32_t> local;

  template <class T>
  T* row32(std::uint32_t offset) {
    return reinterpret_cast<T*>(r32 + offset);
  }
  template <class T>
  T* row64(std::uint32_t offset) {
    return reinterpret_cast<T*>(r64 + offset);
  }
  std::uint32_t& predicate(std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t*>(predicates + offset);
  }
  std::uint32_t thread_id(int lane) const {
    return id * kWarpSize + static_cast<std::uint32_t>(lane);
  }
};

struct Block {
  Launch* launch = nullptr;
  Dim index = {0, 0, 0};
  std::uint64_t linear = 0;   // index in the grid
  std::uint64_t ordinal = 0;  // how many blocks of the launch started before it
  std::uint32_t slot = 0;     // among blocks that are resident; used again after block_ends
  std::uint32_t num_threads = 0;
  std::uint32_t live = 0;  // threads that have not ended
  std::vector<std::unique_ptr<Warp>> warps;
  std::byte* shared = nullptr;     // static variables with room between them, then dynamic
  std::uint32_t shared_bytes = 0;  // of the room
  std::uint64_t num_barriers = 0;  // that all its threads have passed
};

// A __managed__ variable as the host names it: the program has it at an address of its own, where
// the same memory is mapped. A pointer that the host took leads kernels to the device's address.
struct HostVariable {
  std::uint64_t host = 0;  // where it begins
  std::uint64_t device = 0;
  std::uint64_t size_bytes = 0;
};

// Where the program's text is named for findings and counters.
struct Launch {
  const code::Program* program = nullptr;
  const Images* images = nullptr;  // that kernels know by number; null: none
  const std::vector<HostVariable>* host_variables = nullptr;  // null: none
  const code::Function* kernel = nullptr;
  Dim grid, block, cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  bool is_cooperative = false;
  std::uint32_t num_multiprocessors = LAB_MULTIPROCESSORS;  // that the device presents
  std::uint64_t stream = 0;
  std::uint64_t number = 0;  // launches are counted from 1
  std::vector<std::byte> parameters;
  bool is_counted = false;     // blocks take no turns: a warp that waits splits its requests
  bool loses_updates = false;  // races were found in this kernel: see docs/checkers.md
  std::string host_file;       // of the launch, as the host says; line 0: unknown
  std::uint32_t host_line = 0;
  const Part* running = nullptr;  // that executes now; null: none
};

}  // namespace run
