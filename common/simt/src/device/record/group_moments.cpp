// SPDX-License-Identifier: MIT
// What a block, or the lanes of a warp, do together.
#include <bit>
#include <cstring>
#include <utility>

#include "count/trace.h"
#include "program/address.h"
#include "record/recorder.h"
#include "record/state.h"
#include "run/running.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::kSync:
      return "sync";
    case WarpOperation::kShuffle:
      return "shuffle";
    case WarpOperation::kBallot:
      return "ballot";
    case WarpOperation::kMatchAny:
      return "match_any";
    case WarpOperation::kMatchAll:
      return "match_all";
    case WarpOperation::kAdd:
      return "add";
    case WarpOperation::kMin:
    case WarpOperation::kMinSigned:
      return "min";
    case WarpOperation::kMax:
    case WarpOperation::kMaxSigned:
      return "max";
    case WarpOperation::kAnd:
      return "and";
    case WarpOperation::kOr:
      return "or";
    case WarpOperation::kXor:
      return "xor";
    case WarpOperation::kTogether:
      return "mma";
  }
  return "";
}

// Whether lanes exchange one value each. The tiles of a product of matrices are not shown.
bool has_values(WarpOperation operation) {
  return operation != WarpOperation::kSync && operation != WarpOperation::kTogether;
}

}  // namespace

void record_block_made(Block& block) { make_traces(block); }

void record_block_start(const Block& block) {
  if (!is_shown(block)) return;
  const Untraced untraced;
  for (const Warp& warp : block.warps) {
    record_of(block, warp) = {};
    record_of(block, warp).live = warp.live;
  }
  Moment moment = moment_of(MomentKind::kBlockStart, block);
  moment.at = {block.index.x, block.index.y, block.index.z};
  keep(std::move(moment));
}

void record_block_end(const Block& block) {
  if (!is_shown(block)) return;
  const Untraced untraced;
  keep(moment_of(MomentKind::kBlockEnd, block));
  ++recording_state->ended_blocks;
  tell_if_complete();
}

void record_operation_of(Warp& warp, std::uint32_t group, WarpOperation operation) {
  if (!is_shown(*running.block)) return;
  const Untraced untraced;
  const std::uint32_t pc =
      pack_pc(warp.lanes[static_cast<std::size_t>(std::countr_zero(group))].pc);
  if (!is_students(pc)) return;
  Moment moment = moment_of(MomentKind::kOperation, *running.block, warp, group, pc);
  moment.operation = name_of(operation);
  moment.size_bytes = has_values(operation) ? sizeof(Lane::value) : 0;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const Lane& lane = warp.lanes[static_cast<std::size_t>(std::countr_zero(rest))];
    LaneValue value;
    std::memcpy(value.before.data(), &lane.value, sizeof lane.value);
    std::memcpy(value.after.data(), &lane.result, sizeof lane.result);
    moment.values.push_back(value);
  }
  record_of(*running.block, warp).shown_lanes = 0;
  keep(std::move(moment));
}

void record_barrier_of(const Block& block) {
  if (!is_shown(block)) return;
  record_value_written();  // of the lane that came last
  const Untraced untraced;
  Moment moment = moment_of(MomentKind::kBarrier, block);
  moment.pc = pack_pc(block.barrier_pc);
  for (const Warp& warp : block.warps) {
    record_of(block, warp).shown_lanes = 0;
    record_of(block, warp).waiting = 0;
  }
  keep(std::move(moment));
}

void record_grid_barrier_of(const Block& block) {
  if (!is_shown(block) || block.at_grid_barrier == 0) return;
  const Untraced untraced;
  Moment moment = moment_of(MomentKind::kGridBarrier, block);
  moment.pc = pack_pc(block.grid_barrier_pc);
  for (const Warp& warp : block.warps) record_of(block, warp).waiting = 0;
  keep(std::move(moment));
}

}  // namespace simt::device
