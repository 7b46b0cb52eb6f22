// SPDX-License-Identifier: MIT
#include "record/recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "count/request.h"
#include "count/trace.h"
#include "program/address.h"
#include "program/source_line.h"
#include "record/arrays.h"
#include "record/recording.h"
#include "record/state.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/untraced.h"
#include "simt/call_stack.h"
#include "simt/recording.h"

namespace simt::device {

bool recording_is_on = false;

namespace {

std::string g_wanted;
RecordingListener g_listener = nullptr;
LaneTurns g_turns = LaneTurns::kInStep;
std::vector<std::string> g_launches;

// "scan_kernel" of "lab::scan_kernel<256>".
std::string_view bare_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = kernel.rfind(':');
  return colon == std::string_view::npos ? kernel : kernel.substr(colon + 1);
}

bool is_wanted(std::string_view kernel) {
  return g_wanted.empty() || kernel == g_wanted || bare_name(kernel) == g_wanted;
}

void record_step_of(const Block& block, const Warp& warp, std::uint32_t group, std::uint32_t pc) {
  if (!is_students(pc)) return;
  WarpRecord& record = record_of(block, warp);
  const int line = source_line(unpack_pc(pc)).line;
  if (record.shown_lanes == group && record.shown_place == line) return;
  record.shown_lanes = group;
  record.shown_place = line;
  keep(moment_of(MomentKind::kStep, block, warp, group, pc));
}

void record_access_of(const Block& block, const Warp& warp, std::uint32_t group) {
  WarpRecord& record = record_of(block, warp);
  const Stop& first = record.stops[static_cast<std::size_t>(std::countr_zero(group))];
  if (!is_students(first.pc) || !has_room()) return;
  constexpr std::array kKinds = {MomentKind::kRead, MomentKind::kWrite, MomentKind::kAtomic};
  // Lanes may go to different arrays: each gets a moment.
  while (group != 0) {
    const Stop& lead = record.stops[static_cast<std::size_t>(std::countr_zero(group))];
    const std::size_t array =
        array_of(recording_state->recording.arrays, lead.space, lead.address, number_of(block));
    const RecordedArray& memory = recording_state->recording.arrays[array];
    Request request{lead.space, lead.access, static_cast<int>(lead.size_bytes), lead.pc, 0, 0, {}};
    Moment moment = moment_of(kKinds[std::size_t(lead.access)], block, warp, 0, lead.pc);
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      Stop& stop = record.stops[lane];
      if (stop.address - memory.base >= memory.size_bytes) continue;
      request.addresses[lane] = stop.address;
      request.lanes |= rest & -rest;
      ++request.num_lanes;
      stop.moment = recording_state->recording.moments.size();
      stop.value = moment.values.size();
      moment.values.push_back({stop.address - memory.base, {}, {}});
    }
    if (request.lanes == 0) return;
    group &= ~request.lanes;
    moment.lanes = request.lanes;
    moment.space = lead.space;
    moment.array = array;
    moment.size_bytes = lead.size_bytes;
    if (lead.space == MemorySpace::kGlobal) {
      moment.cost = count_sectors(request);
    } else {
      const Wavefronts wavefronts = count_wavefronts(request);
      moment.cost = lead.access == AccessKind::kAtomic
                        ? std::max(wavefronts.total, largest_multiplicity(request))
                        : wavefronts.total;
      moment.ideal = wavefronts.ideal;
    }
    record.shown_lanes = 0;  // the next step shows where the lanes are
    recording_state->recording.moments.push_back(std::move(moment));
  }
}

// Lets the warp's others run until release_first() gives the running lane its turn.
void stop(const Stop& at, Place place) {
  record_value_written();
  {
    const Untraced untraced;
    record_findings();
    record_of(*running.block, *running.warp).stops[static_cast<std::size_t>(running.lane_id)] = at;
  }
  pause(place.pc);
}

bool may_stop() { return is_shown(*running.block) && !recording_state->recording.is_cut; }

LaneValue* current_value(Stop& stop) {
  if (stop.moment == Stop::kNone) return nullptr;
  return &recording_state->recording.moments[stop.moment].values[stop.value];
}

Stop& running_stop() {
  return record_of(*running.block, *running.warp).stops[static_cast<std::size_t>(running.lane_id)];
}

void stop_at_one_access(AccessKind kind, MemorySpace space, std::uintptr_t address,
                        std::size_t size_bytes, Place place) {
  stop({step_order(place), true, kind, space, pack_pc(place.pc), address, size_bytes}, place);
  const Untraced untraced;
  LaneValue* const value = current_value(running_stop());
  if (value == nullptr) return;
  std::memcpy(value->before.data(), reinterpret_cast<const void*>(address), size_bytes);
  if (kind == AccessKind::kRead) running_stop().moment = Stop::kNone;
}

}  // namespace

void begin_recording(const LaunchSite& site, const LaunchConfig& config) {
  if (g_listener == nullptr) return;
  if (std::find(g_launches.begin(), g_launches.end(), site.kernel) == g_launches.end()) {
    g_launches.emplace_back(site.kernel);
  }
  if (recording_state != nullptr || !is_wanted(site.kernel)) return;
  recording_state = new RecordingState;
  Recording& recording = recording_state->recording;
  const std::string_view path(site.file);
  recording.kernel = site.kernel;
  recording.file = path.substr(path.rfind('/') + 1);
  recording.line = site.line;
  recording.config = config;
  const unsigned num_threads = config.block.x * config.block.y * config.block.z;
  recording_state->warps_per_block = (num_threads + kWarpSize - 1) / kWarpSize;
  recording_state->warps.resize(kMaxRecordedBlocks * recording_state->warps_per_block);
  recording_state->findings_before = recording_state->findings_seen = findings().size();
  recording_is_on = true;
}

void end_recording() {
  record_findings();
  recording_is_on = false;
  g_listener(to_text(recording_state->recording));
}

void tell_if_complete() {
  RecordingState& state = *recording_state;
  if (state.is_told || (!state.recording.is_cut && state.ended_blocks < kMaxRecordedBlocks)) return;
  state.is_told = true;
  g_listener(to_text(state.recording));
}

void stop_at_step(Place place) {
  if (!may_stop()) return;
  stop({step_order(place), false, {}, {}, pack_pc(place.pc), 0, 0}, place);
}

void stop_at_access(AccessKind kind, std::uintptr_t address, std::size_t size_bytes, Place place) {
  if (!may_stop()) return;
  const std::optional<MemorySpace> space = space_of(address);
  if (!space) return;
  const std::size_t step = access_bytes(address, size_bytes);
  for (std::size_t done = 0; done < size_bytes; done += step) {
    stop_at_one_access(kind, *space, address + done, step, place);
  }
}

void record_value_written() {
  if (running.block == nullptr || !is_shown(*running.block)) return;
  Stop& stop = running_stop();
  LaneValue* const value = current_value(stop);
  if (value == nullptr) return;
  const Untraced untraced;
  std::memcpy(value->after.data(), reinterpret_cast<const void*>(stop.address), stop.size_bytes);
  stop.moment = Stop::kNone;
}

void release_first(Warp& warp) {
  const Untraced untraced;
  record_findings();
  const Block& block = *running.block;
  if (is_shown(block)) record_leavers(block, warp);
  std::uint32_t group = warp.paused;
  if (group == 0) return;
  WarpRecord& record = record_of(block, warp);
  if (!recording_state->recording.is_cut) {
    std::uint64_t first = UINT64_MAX;
    for (std::uint32_t rest = warp.paused; rest != 0; rest &= rest - 1) {
      const std::uint64_t order =
          record.stops[static_cast<std::size_t>(std::countr_zero(rest))].order;
      if (order < first) group = 0;
      first = std::min(first, order);
      if (order == first) group |= rest & -rest;
    }
    if (g_turns == LaneTurns::kOneByOne) {
      const std::uint32_t last = warp.paused & record.last_lane;
      group = last != 0 ? last : 1u << running.launch->schedule.lanes.first(warp.paused);
    }
    const Stop& stop = record.stops[static_cast<std::size_t>(std::countr_zero(group))];
    if (stop.is_access) {
      record_access_of(block, warp, group);
    } else {
      record_step_of(block, warp, group, stop.pc);
    }
  }
  record.last_lane = group;
  warp.paused &= ~group;
  warp.ready |= group;
  if (recording_state->recording.is_cut) tell_if_complete();  // no access is half recorded here
}

}  // namespace simt::device

namespace simt {

void record_launch(std::string kernel, RecordingListener listener, LaneTurns turns) {
  device::g_turns = turns;
  device::g_wanted = std::move(kernel);
  device::g_listener = listener;
  device::g_launches.clear();
  delete std::exchange(device::recording_state, nullptr);
}

std::vector<std::string> launches_seen() { return device::g_launches; }

}  // namespace simt
