// SPDX-License-Identifier: MIT
#include "record/state.h"

#include <bit>
#include <utility>

#include "program/address.h"
#include "program/source_line.h"
#include "run/running.h"
#include "simt/recording.h"

namespace simt::device {

RecordingState* recording_state = nullptr;

std::uint64_t number_of(const Block& block) {
  const dim3& grid = recording_state->recording.config.grid;
  return block.index.x +
         std::uint64_t{grid.x} * (block.index.y + std::uint64_t{grid.y} * block.index.z);
}

bool is_shown(const Block& block) { return number_of(block) < kMaxRecordedBlocks; }

WarpRecord& record_of(const Block& block, const Warp& warp) {
  return recording_state->warps[number_of(block) * recording_state->warps_per_block +
                                static_cast<std::size_t>(warp.id)];
}

bool has_room() {
  Recording& recording = recording_state->recording;
  if (recording.moments.size() >= kMaxRecordedSteps) recording.is_cut = true;
  return !recording.is_cut;
}

Moment moment_of(MomentKind kind, const Block& block) {
  Moment moment;
  moment.kind = kind;
  moment.block = number_of(block);
  return moment;
}

Moment moment_of(MomentKind kind, const Block& block, const Warp& warp, std::uint32_t lanes,
                 std::uint32_t pc) {
  Moment moment = moment_of(kind, block);
  moment.warp = warp.id;
  moment.pc = pc;
  moment.lanes = lanes;
  moment.live = warp.live;
  moment.waiting = warp.at_barrier | warp.at_named_barrier | warp.at_grid_barrier;
  return moment;
}

void keep(Moment moment) {
  if (has_room()) recording_state->recording.moments.push_back(std::move(moment));
}

bool is_students(std::uint32_t pc) {
  const SourceLine& where = source_line(unpack_pc(pc));
  const Recording& recording = recording_state->recording;
  return where.line != 0 && (where.line != recording.line || where.file != recording.file);
}

void record_findings() {
  const std::span<const Finding> all = findings();
  for (; recording_state->findings_seen < all.size(); ++recording_state->findings_seen) {
    if (recording_state->findings_seen < recording_state->findings_before) continue;
    Recording& recording = recording_state->recording;
    recording.findings.push_back(all[recording_state->findings_seen]);
    if (running.block == nullptr || !is_shown(*running.block)) continue;
    Moment moment = moment_of(MomentKind::kFinding, *running.block, *running.warp, 0, 0);
    moment.at = {static_cast<unsigned>(recording.findings.size() - 1),
                 static_cast<unsigned>(running.lane_id), 0};
    recording.moments.push_back(std::move(moment));  // also where the recording is cut
  }
}

void record_leavers(const Block& block, const Warp& warp) {
  WarpRecord& record = record_of(block, warp);
  const std::uint32_t waiting = warp.at_barrier | warp.at_named_barrier | warp.at_grid_barrier;
  const std::uint32_t arrived = waiting & ~record.waiting;
  const std::uint32_t ended = record.live & ~warp.live;
  record.waiting = waiting;
  record.live = warp.live;
  if (arrived != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(arrived));
    keep(moment_of(MomentKind::kWait, block, warp, arrived, pack_pc(warp.lanes[first].pc)));
  }
  if (ended != 0) keep(moment_of(MomentKind::kExit, block, warp, ended, 0));
}

}  // namespace simt::device
