// SPDX-License-Identifier: MIT
// What is kept while a launch is recorded, and how a moment joins the recording.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "record/recording.h"
#include "run/block.h"

namespace simt::device {

// Where a lane stopped, and its last access.
struct Stop {
  std::uint64_t order = 0;  // see step_order()
  bool is_access = false;
  AccessKind access = AccessKind::kRead;
  MemorySpace space = MemorySpace::kGlobal;
  std::uint32_t pc = 0;
  std::uintptr_t address = 0;
  std::size_t size_bytes = 0;

  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t moment = kNone;  // of the access that has begun
  std::size_t value = 0;       // of it, the lane's
};

// What is kept for a warp while it runs.
struct WarpRecord {
  std::array<Stop, kWarpSize> stops;
  std::uint32_t shown_lanes = 0;  // of the last step
  int shown_place = -1;
  std::uint32_t live = 0;
  std::uint32_t waiting = 0;
  std::uint32_t last_lane = 0;  // as a mask; whose turn it was, see LaneTurns::kOneByOne
};

struct RecordingState {
  Recording recording;
  std::vector<WarpRecord> warps;  // by block, then by warp
  std::size_t warps_per_block = 0;
  std::size_t findings_before = 0;
  std::size_t findings_seen = 0;
  std::uint64_t ended_blocks = 0;  // of those that are shown
  bool is_told = false;            // see tell_if_complete()
};
// Null: no launch has been recorded.
extern RecordingState* recording_state;

std::uint64_t number_of(const Block& block);
bool is_shown(const Block& block);
WarpRecord& record_of(const Block& block, const Warp& warp);

// Whether the recording can take another moment. If not, it is cut.
bool has_room();
Moment moment_of(MomentKind kind, const Block& block);
Moment moment_of(MomentKind kind, const Block& block, const Warp& warp, std::uint32_t lanes,
                 std::uint32_t pc);
// Adds the moment if there is room.
void keep(Moment moment);

// Code without a line of the student's, and the launch's own steps, are not shown.
bool is_students(std::uint32_t pc);

// The findings since the last look belong to the running lane.
void record_findings();
// Lanes of the warp that have come to a barrier or ended since the last look.
void record_leavers(const Block& block, const Warp& warp);

}  // namespace simt::device
