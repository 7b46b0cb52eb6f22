// SPDX-License-Identifier: MIT
// A recorded launch as values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/counters.h"
#include "simt/finding.h"
#include "simt/launch.h"

namespace simt::device {

inline constexpr std::size_t kMaxValueBytes = 16;  // of one lane's access
using Value = std::array<std::byte, kMaxValueBytes>;

// Memory that the launch accessed: a __shared__ variable of a block, or an allocation.
struct RecordedArray {
  static constexpr std::int64_t kEveryBlock = -1;

  std::string name;
  MemorySpace space = MemorySpace::kGlobal;
  std::int64_t block = kEveryBlock;  // whose __shared__ variable it is
  std::uintptr_t base = 0;
  std::size_t size_bytes = 0;
  std::string file;  // where the program allocated it; line 0: unknown
  int line = 0;
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
  std::size_t offset = 0;  // of an access, in its array
  Value before = {};       // of an operation: what the lane gives
  Value after = {};        // of an operation: what it gets
};

struct Moment {
  MomentKind kind = MomentKind::kStep;
  std::uint64_t block = 0;
  int warp = 0;
  std::uint32_t pc = 0;       // see pack_pc()
  std::uint32_t lanes = 0;    // that act
  std::uint32_t live = 0;     // that have not ended
  std::uint32_t waiting = 0;  // at a barrier
  MemorySpace space = MemorySpace::kGlobal;
  std::size_t array = 0;  // in Recording::arrays
  std::size_t size_bytes = 0;
  int cost = 0;                     // sectors, or wavefronts
  int ideal = 0;                    // wavefronts without a conflict
  const char* operation = "";       // its name
  std::vector<LaneValue> values;    // of the lanes, in order
  std::array<unsigned, 3> at = {};  // kBlockStart: blockIdx; kFinding: its index, and the lane
};

struct Recording {
  std::string kernel;
  std::string file;  // of the launch
  int line = 0;
  LaunchConfig config{dim3(), dim3()};
  bool is_cut = false;
  std::vector<RecordedArray> arrays;
  std::vector<Finding> findings;
  std::vector<Moment> moments;
};

// The text that RecordingListener gets.
std::string to_text(const Recording& recording);

}  // namespace simt::device
