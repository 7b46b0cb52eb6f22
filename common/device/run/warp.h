// SPDX-License-Identifier: MIT
// The state of a running launch: blocks, warps, and the parts into which a warp splits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "code/program.h"
#include "run/fault.h"
#include "run/monitor.h"

namespace run {

struct Dim {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// A function that a part of a warp has called, and where it goes on.
struct Frame {
  const code::Function* function = nullptr;
  const code::Op* return_to = nullptr;
  std::uint32_t base32 = 0, base64 = 0, base_predicate = 0;  // of its rows in the warp's files
  std::uint32_t local_base = 0;
};

// Lanes that left a branch together and come together again at `at`, its post-dominator.
struct Join {
  const code::Op* at = nullptr;  // null: at the end of the function
  std::uint32_t depth = 0;       // number of frames
  std::uint32_t expected = 0;    // lanes that are still on their way or have arrived
  std::uint32_t arrived = 0;
  Join* outer = nullptr;
};

enum class Waiting : std::uint8_t {
  kNo,
  kBlockBarrier,
  kNamedBarrier,
  kWarp,
  kGrid,
  kCluster,
  kMemory,
  kJoin,
};

// Lanes of a warp with one program counter.
struct Part {
  const code::Op* next = nullptr;
  std::uint32_t lanes = 0;
  Waiting waiting = Waiting::kNo;
  std::uint32_t mask = 0;     // kWarp: which lanes the operation is for
  std::uint32_t barrier = 0;  // kNamedBarrier: its number
  std::vector<Frame> frames;  // the kernel's own first
  Join* join = nullptr;
  std::uint64_t steps_in_turn = 0;  // blocks entered since anything changed
};

struct Warp {
  // What handlers use, of the part that runs.
  std::byte* r32 = nullptr;  // rows of the frame that runs
  std::byte* r64 = nullptr;
  std::uint32_t* predicates = nullptr;
  std::uint32_t lanes = 0;  // of the part that runs
  std::uint32_t only = 0;   // all ones while no other part holds live lanes, so that rows
                            // may be written whole; else the same as `lanes`
  std::uint32_t carry = 0;  // the carry flag of each lane: add.cc and its like
  Part* part = nullptr;

  Block* block = nullptr;
  std::uint32_t id = 0;        // in the block
  std::uint32_t live = 0;      // lanes that have not ended
  std::uint32_t existing = 0;  // lanes that have a thread

  template <class T>
  T* row32(std::uint32_t offset) {
    return reinterpret_cast<T*>(r32 + offset);
  }
  template <class T>
  T* row64(std::uint32_t offset) {
    return reinterpret_cast<T*>(r64 + offset);
  }
  std::uint32_t& predicate(std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(predicates) + offset);
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
  std::vector<Warp*> warps;
  std::byte* shared = nullptr;  // static first, then dynamic
  std::uint32_t shared_bytes = 0;
};

// Where the program's text is named for findings and counters.
struct Launch {
  const code::Program* program = nullptr;
  const code::Function* kernel = nullptr;
  Dim grid, block, cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  bool is_cooperative = false;
  std::uint64_t stream = 0;
  std::uint64_t number = 0;  // launches are counted from 1
  std::vector<std::byte> parameters;
  std::string host_file;  // of the launch, as the host says; line 0: unknown
  std::uint32_t host_line = 0;
};

}  // namespace run
