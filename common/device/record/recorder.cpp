// SPDX-License-Identifier: MIT
#include "record/recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "count/request.h"
#include "record/arrays.h"

namespace record {
namespace {

using code::Instruction;
using run::Access;
using run::Block;
using run::Space;
using run::Warp;

// "scan_kernel" of "lab::scan_kernel<256>".
std::string_view bare_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = kernel.rfind(':');
  return colon == std::string_view::npos ? kernel : kernel.substr(colon + 1);
}

MomentKind kind_of(const Access& access) {
  return access.is_atomic ? MomentKind::kAtomic
         : access.writes  ? MomentKind::kWrite
                          : MomentKind::kRead;
}

// Local memory is a thread's own; parameters and constants are the launch's.
bool is_shown_space(const Access& access) {
  return access.space == Space::kGlobal || access.space == Space::kShared;
}

void set_cost(Moment& moment, const Access& made, std::uint32_t lanes) {
  Access access = made;
  if (access.lanes != lanes) access.pattern = run::Pattern::kOther;
  access.lanes = lanes;
  if (access.space == Space::kGlobal) {
    moment.cost = count::sectors_of(access);
    return;
  }
  const count::Wavefronts wavefronts = count::wavefronts_of(access);
  moment.cost = access.is_atomic ? std::max(wavefronts.total, count::largest_multiplicity(access))
                                 : wavefronts.total;
  moment.ideal = wavefronts.ideal;
}

}  // namespace

// ---- what is recorded

void Recorder::record_launch(std::string_view kernel, Listener listener, Which which) {
  wanted_ = kernel;
  listener_ = std::move(listener);
  which_ = which;
  is_settled_ = has_recorded_ = false;
  launches_.clear();
  program_ = nullptr;
  is_recording_ = false;
}

void Recorder::launch_begins(run::Launch& launch) {
  if (listener_ == nullptr) return;
  const std::string& name = launch.kernel->readable;
  if (std::ranges::find(launches_, name) == launches_.end()) launches_.push_back(name);
  if (is_settled_ || !(wanted_.empty() || bare_name(wanted_) == name)) return;
  is_recording_ = true;
  is_told_ = false;
  program_ = launch.program;
  recording_ = {};
  recording_.kernel = name;
  recording_.file = launch.host_file.substr(launch.host_file.rfind('/') + 1);
  recording_.line = launch.host_line;
  recording_.grid = launch.grid;
  recording_.block = launch.block;
  blocks_.clear();
  blocks_.resize(std::min(kMaxRecordedBlocks, launch.grid.count()));
  num_ended_ = 0;
  findings_seen_ = report::findings().size();
  last_warp_ = nullptr;
  last_access_ = SIZE_MAX;
}

void Recorder::launch_ends(run::Launch& /*launch*/) {
  if (!is_recording_) return;
  keep_findings();
  is_recording_ = false;
  is_settled_ = which_ == Which::kFirst || !recording_.findings.empty();
  tell();
  has_recorded_ = true;
}

// A launch that comes in question only for its findings, and has none, leaves what was told.
void Recorder::tell() {
  if (!has_recorded_ || !recording_.findings.empty()) listener_(to_text(recording_));
}

void Recorder::tell_if_complete() {
  if (is_told_ || (!recording_.is_cut && num_ended_ < kMaxRecordedBlocks)) return;
  is_told_ = true;
  tell();
}

bool Recorder::is_shown(const Block& block) const {
  return is_recording_ && block.linear < blocks_.size() && !recording_.is_cut;
}

code::Program::Line Recorder::place_of(const Instruction& instruction) const {
  return program_->line_of(instruction);
}

// ---- moments

Moment Recorder::moment_of(MomentKind kind, const Block& block) const {
  Moment moment;
  moment.kind = kind;
  moment.block = block.linear;
  return moment;
}

Moment Recorder::moment_of(MomentKind kind, const Warp& warp, std::uint32_t lanes,
                           code::Program::Line place) {
  Moment moment = moment_of(kind, *warp.block);
  moment.warp = warp.id;
  moment.place = place;
  moment.lanes = lanes;
  moment.live = warp.live;
  moment.waiting = record_of(warp).waiting;
  return moment;
}

void Recorder::keep(Moment moment) {
  if (recording_.moments.size() >= kMaxRecordedSteps) {
    recording_.is_cut = true;
    tell_if_complete();
    return;
  }
  recording_.moments.push_back(std::move(moment));
}

void Recorder::look_around(Warp& warp) {
  keep_findings();
  keep_leavers();
  last_warp_ = &warp;
}

// A finding comes before the access that made it, which is the last one.
void Recorder::keep_findings() {
  const std::vector<report::Finding>& all = report::findings();
  if (findings_seen_ > all.size()) findings_seen_ = 0;  // they were taken meanwhile
  for (; findings_seen_ < all.size(); ++findings_seen_) {
    const report::Finding& finding = all[findings_seen_];
    recording_.findings.push_back(finding);
    if (last_warp_ == nullptr) continue;
    Moment moment = moment_of(MomentKind::kFinding, *last_warp_->block);
    moment.warp = last_warp_->id;
    const int lane = finding.thread >= 0 ? finding.thread % run::kWarpSize
                                         : std::countr_zero(last_lanes_ | 1U << 31);
    moment.at = {static_cast<std::uint32_t>(recording_.findings.size() - 1),
                 static_cast<std::uint32_t>(lane), 0};
    std::vector<Moment>& moments = recording_.moments;  // also where the recording is cut
    const bool is_of_access =
        last_access_ < moments.size() && moments[last_access_].place.line == finding.line;
    const auto at = static_cast<std::ptrdiff_t>(is_of_access ? last_access_ : moments.size());
    moments.insert(moments.begin() + at, std::move(moment));
    if (is_of_access) {
      ++last_access_;
      ++writing_;
    }
  }
}

// Lanes that have ended since the last look.
void Recorder::keep_leavers() {
  for (BlockRecord& block : blocks_) {
    if (block.block == nullptr) continue;
    for (const auto& warp : block.block->warps) {
      WarpRecord& record = block.warps[warp->id];
      const std::uint32_t ended = record.live & ~warp->live;
      if (ended == 0) continue;
      record.live = warp->live;
      keep(moment_of(MomentKind::kExit, *warp, ended, {}));
    }
  }
}

// ---- blocks

void Recorder::block_starts(Block& block) {
  if (!is_shown(block)) return;
  BlockRecord& record = record_of(block);
  record = {};
  record.block = &block;
  record.warps.resize(block.warps.size());
  for (const auto& warp : block.warps) record.warps[warp->id].live = warp->existing;
  Moment moment = moment_of(MomentKind::kBlockStart, block);
  moment.at = {block.index.x, block.index.y, block.index.z};
  keep(std::move(moment));
}

void Recorder::block_ends(Block& block) {
  if (!is_recording_ || block.linear >= blocks_.size()) return;
  keep_findings();
  if (last_warp_ != nullptr && last_warp_->block == &block) last_warp_ = nullptr;
  if (is_shown(block)) {
    keep_leavers();
    keep(moment_of(MomentKind::kBlockEnd, block));
  }
  record_of(block).block = nullptr;
  ++num_ended_;
  tell_if_complete();
}

// ---- steps

void Recorder::keep_step(Warp& warp, std::uint32_t lanes, code::Program::Line place) {
  WarpRecord& record = record_of(warp);
  if (record.shown_lanes == lanes && record.shown_place == place) return;
  record.shown_lanes = lanes;
  record.shown_place = place;
  keep(moment_of(MomentKind::kStep, warp, lanes, place));
}

void Recorder::enters_block(Warp& warp, const code::Block& /*block*/, std::uint32_t /*lanes*/) {
  // The next step shows where the lanes are, also if it is in the line of their last access.
  if (!is_shown(*warp.block)) return;
  WarpRecord& record = record_of(warp);
  if (last_access_ + 1 == recording_.moments.size()) record.shown_lanes = 0;
}

void Recorder::executes(Warp& warp, const code::Op& op, std::uint32_t lanes) {
  if (!is_shown(*warp.block)) return;
  look_around(warp);
  last_lanes_ = lanes;
  const code::Function& function = *warp.part->frames.back().function;
  const Instruction& instruction =
      function.instructions[static_cast<std::size_t>(&op - function.ops.data())];
  const code::Program::Line place = place_of(instruction);
  if (place.line != 0) keep_step(warp, warp.lanes, place);
  const char* const name = operation_name(instruction);
  if (name == nullptr) return;
  if (has_values(instruction)) {
    read_given(warp, instruction, lanes, record_of(warp).given);
  } else if (std::string_view(name) == "mma" && place.line != 0) {
    Moment moment = moment_of(MomentKind::kOperation, warp, lanes, place);
    moment.operation = name;
    keep(std::move(moment));
  }
}

void Recorder::warp_operation(Warp& warp, std::uint32_t lanes, const Instruction& instruction) {
  if (!is_shown(*warp.block)) return;
  look_around(warp);
  const char* const name = operation_name(instruction);
  const code::Program::Line place = place_of(instruction);
  if (name == nullptr || place.line == 0) return;
  Moment moment = moment_of(MomentKind::kOperation, warp, lanes, place);
  moment.operation = name;
  if (has_values(instruction)) {
    LaneWords got = {};
    read_got(warp, instruction, lanes, got);
    const LaneWords& given = record_of(warp).given;
    moment.size_bytes = sizeof(LaneWords::value_type);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      LaneValue& value = moment.values.emplace_back();
      std::memcpy(value.before.data(), &given[lane], sizeof given[lane]);
      std::memcpy(value.after.data(), &got[lane], sizeof got[lane]);
    }
  }
  keep(std::move(moment));
}

// ---- accesses

void Recorder::access(Warp& warp, Access& access) {
  if (access.lanes == 0 || !is_shown(*warp.block) || !is_shown_space(access)) return;
  look_around(warp);
  last_lanes_ = access.lanes;
  // What an asynchronous copy writes is there when it arrives.
  const bool is_copys_write = access.is_async && access.writes;
  if (!is_copys_write) keep_access(warp, access);
}

// Lanes may go to different arrays: each gets a moment.
void Recorder::keep_access(Warp& warp, const Access& access) {
  const code::Program::Line place = place_of(*access.instruction);
  writing_ = recording_.moments.size();
  if (place.line == 0 || access.size_bytes > kMaxValueBytes) return;
  for (std::uint32_t group = access.lanes; group != 0;) {
    const auto lead = static_cast<std::size_t>(std::countr_zero(group));
    Moment moment = moment_of(kind_of(access), warp, 0, place);
    moment.array = array_of(recording_.arrays, warp, access, lead);
    moment.size_bytes = access.size_bytes;
    const RecordedArray memory = recording_.arrays[moment.array];
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t offset = access.address[lane] - memory.base;
      if (lane != lead && offset >= memory.size_bytes) continue;
      moment.lanes |= rest & -rest;
      LaneValue& value = moment.values.emplace_back();
      value.offset = offset;
      if (const std::byte* const bytes = bytes_of(warp, access, lane); bytes != nullptr) {
        std::memcpy(value.before.data(), bytes, access.size_bytes);
      }
    }
    group &= ~moment.lanes;
    set_cost(moment, access, moment.lanes);
    keep(std::move(moment));
  }
  last_access_ = recording_.moments.size() - 1;
}

void Recorder::wrote(Warp& warp, const Access& access) {
  if (!is_recording_ || warp.block->linear >= blocks_.size() || !is_shown_space(access)) return;
  for (std::size_t i = writing_; i < recording_.moments.size(); ++i) {
    Moment& moment = recording_.moments[i];
    if (moment.kind != MomentKind::kWrite && moment.kind != MomentKind::kAtomic) continue;
    std::size_t value = 0;
    for (std::uint32_t rest = moment.lanes; rest != 0; rest &= rest - 1, ++value) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (const std::byte* const bytes = bytes_of(warp, access, lane); bytes != nullptr) {
        std::memcpy(moment.values[value].after.data(), bytes, access.size_bytes);
      }
    }
  }
  writing_ = recording_.moments.size();
}

void Recorder::copy_arrives(Warp& warp, const Access& destination) {
  if (destination.lanes == 0 || !is_shown(*warp.block)) return;
  look_around(warp);
  keep_access(warp, destination);
  wrote(warp, destination);
}

// ---- barriers

void Recorder::arrives_at_barrier(Warp& warp, std::uint32_t lanes, const Instruction& instruction) {
  if (!is_shown(*warp.block)) return;
  look_around(warp);
  WarpRecord& record = record_of(warp);
  const code::Program::Line place = place_of(instruction);
  record_of(*warp.block).barrier = place;
  record.waiting |= lanes;
  keep(moment_of(MomentKind::kWait, warp, lanes, place));
}

void Recorder::block_meets(Block& block, const Instruction& instruction) {
  if (!is_shown(block)) return;
  keep_findings();
  for (WarpRecord& warp : record_of(block).warps) warp.shown_lanes = warp.waiting = 0;
  Moment moment = moment_of(MomentKind::kBarrier, block);
  moment.place = place_of(instruction);
  keep(std::move(moment));
}

void Recorder::threads_meet(Block& block, std::span<const std::uint32_t> lanes_by_warp,
                            const Instruction& /*instruction*/, const void* /*barrier*/) {
  if (!is_shown(block)) return;
  std::vector<WarpRecord>& warps = record_of(block).warps;
  for (std::size_t w = 0; w < std::min(warps.size(), lanes_by_warp.size()); ++w) {
    warps[w].waiting &= ~lanes_by_warp[w];
    if (lanes_by_warp[w] != 0) warps[w].shown_lanes = 0;
  }
}

void Recorder::grid_meets(run::Launch& /*launch*/) {
  if (!is_recording_ || recording_.is_cut) return;
  keep_findings();
  for (BlockRecord& record : blocks_) {
    if (record.block == nullptr) continue;
    for (WarpRecord& warp : record.warps) warp.waiting = 0;
    Moment moment = moment_of(MomentKind::kGridBarrier, *record.block);
    moment.place = record.barrier;
    keep(std::move(moment));
  }
}

}  // namespace record
