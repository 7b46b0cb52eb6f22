// SPDX-License-Identifier: MIT
// A recorded launch as values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "code/program.h"
#include "report/finding.h"
#include "run/warp.h"

namespace record {

// What a page can replay. Later blocks run unrecorded; a launch that makes more steps, or more
// text, is cut there and runs on unrecorded. The text has room for steps of 32 lanes with 16 bytes
// each; a page packs it.
inline constexpr std::uint64_t kMaxRecordedBlocks = 4;
inline constexpr std::size_t kMaxRecordedSteps = 20'000;
inline constexpr std::size_t kMaxRecordingBytes = std::size_t{32} << 20;

inline constexpr std::size_t kMaxValueBytes = 16;  // of one lane's access
using Value = std::array<std::byte, kMaxValueBytes>;

// Memory that the launch accessed: a __shared__ variable of a block, or an allocation.
struct RecordedArray {
  static constexpr std::int64_t kEveryBlock = -1;

  std::string name;
  bool is_shared = false;
  std::int64_t block = kEveryBlock;  // whose __shared__ variable it is
  std::uint64_t base = 0;            // an address, or an offset in shared memory
  std::uint64_t size_bytes = 0;
  std::string file;  // where the program allocated it; line 0: unknown
  std::uint32_t line = 0;
};

enum class MomentKind : std::uint8_t {
  kStep,  // lanes begin another line
  kRead,
  kWrite,
  kAtomic,
  kOperation,  // of a warp
  kWait,       // lanes have come to a barrier
  kExit,       // lanes have ended
  kBarrier,
  kGridBarrier,
  kBlockStart,
  kBlockEnd,
  kFinding,
};

struct LaneValue {
  std::uint64_t offset = 0;  // of an access, in its array
  Value before = {};         // of an operation: what the lane gives
  Value after = {};          // of an operation: what it gets
};

struct Moment {
  MomentKind kind = MomentKind::kStep;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  code::Program::Line place;
  std::uint32_t lanes = 0;    // that act
  std::uint32_t live = 0;     // that have not ended
  std::uint32_t waiting = 0;  // at a barrier
  std::size_t array = 0;      // in Recording::arrays
  std::size_t size_bytes = 0;
  int cost = 0;                          // sectors, or wavefronts
  int ideal = 0;                         // wavefronts without a conflict
  const char* operation = "";            // its name
  std::vector<LaneValue> values;         // of the lanes, in order
  std::array<std::uint32_t, 3> at = {};  // kBlockStart: blockIdx; kFinding: its index, and the lane
};

struct Recording {
  std::string kernel;
  std::string file;  // of the launch
  std::uint32_t line = 0;
  run::Dim grid, block;
  bool is_cut = false;
  std::vector<RecordedArray> arrays;
  std::vector<report::Finding> findings;
  std::vector<Moment> moments;
};

// docs/profiling.md describes it.
std::string to_text(const Recording& recording);

}  // namespace record
