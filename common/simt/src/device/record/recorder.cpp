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
#include "program/shared_variables.h"
#include "program/source_line.h"
#include "record/recording.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/untraced.h"
#include "simt/call_stack.h"
#include "simt/memory.h"
#include "simt/recording.h"

namespace simt::device {

bool recording_is_on = false;

namespace {

std::string g_wanted;
RecordingListener g_listener = nullptr;
LaneTurns g_turns = LaneTurns::kInStep;
std::vector<std::string> g_launches;

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

struct State {
  Recording recording;
  std::vector<WarpRecord> warps;  // by block, then by warp
  std::size_t warps_per_block = 0;
  std::size_t findings_before = 0;
  std::size_t findings_seen = 0;
};
State* g_state = nullptr;

std::uint64_t number_of(const Block& block) {
  const dim3& grid = g_state->recording.config.grid;
  return block.index.x +
         std::uint64_t{grid.x} * (block.index.y + std::uint64_t{grid.y} * block.index.z);
}

bool is_shown(const Block& block) { return number_of(block) < kMaxRecordedBlocks; }

WarpRecord& record_of(const Block& block, const Warp& warp) {
  return g_state
      ->warps[number_of(block) * g_state->warps_per_block + static_cast<std::size_t>(warp.id)];
}

bool has_room() {
  Recording& recording = g_state->recording;
  if (recording.moments.size() >= kMaxRecordedSteps) recording.is_cut = true;
  return !recording.is_cut;
}

// "scan_kernel" of "lab::scan_kernel<256>".
std::string_view bare_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = kernel.rfind(':');
  return colon == std::string_view::npos ? kernel : kernel.substr(colon + 1);
}

bool is_wanted(std::string_view kernel) {
  return g_wanted.empty() || kernel == g_wanted || bare_name(kernel) == g_wanted;
}

RecordedArray shared_array(std::uintptr_t address, std::uint64_t block) {
  RecordedArray array;
  array.space = MemorySpace::kShared;
  array.block = static_cast<std::int64_t>(block);
  const AddressRange& memory = running.static_shared;
  if (!memory.contains(address)) {
    array.name = "dynamic shared memory";
    array.base = running.dynamic_shared.low;
    array.size_bytes = running.dynamic_shared.size_bytes;
    return array;
  }
  const SharedVariable* const variable = find_shared_variable(address - memory.low);
  array.name = variable == nullptr ? "shared memory" : variable->name;
  array.base = memory.low + (variable == nullptr ? 0 : variable->offset);
  array.size_bytes = variable == nullptr ? memory.size_bytes : variable->size_bytes;
  return array;
}

RecordedArray global_array(std::uintptr_t address) {
  RecordedArray array;
  const void* const p = reinterpret_cast<const void*>(address);
  const Allocation* const allocation = find_allocation(p);
  if (allocation == nullptr || !allocation->contains(p)) {
    const std::string name = variable_at(address);
    array.name = name.empty() ? "a __device__ variable" : name;
    array.base = address;
    array.size_bytes = kMaxValueBytes;
    return array;
  }
  const SourcePlace place = program_place(allocation->made_by);
  array.name = allocation->name;
  array.base = number(allocation->base);
  array.size_bytes = allocation->size_bytes;
  array.file = place.file;
  array.line = place.line;
  return array;
}

std::size_t array_of(MemorySpace space, std::uintptr_t address, std::uint64_t block) {
  std::vector<RecordedArray>& arrays = g_state->recording.arrays;
  const auto owner =
      space == MemorySpace::kShared ? static_cast<std::int64_t>(block) : RecordedArray::kEveryBlock;
  const auto known = std::find_if(arrays.begin(), arrays.end(), [&](const RecordedArray& array) {
    return array.space == space && array.block == owner && address - array.base < array.size_bytes;
  });
  if (known != arrays.end()) return static_cast<std::size_t>(known - arrays.begin());
  arrays.push_back(space == MemorySpace::kShared ? shared_array(address, block)
                                                 : global_array(address));
  return arrays.size() - 1;
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
  moment.waiting = warp.at_barrier | warp.at_grid_barrier;
  return moment;
}

void keep(Moment moment) {
  if (has_room()) g_state->recording.moments.push_back(std::move(moment));
}

// The findings since the last look belong to the running lane.
void record_findings() {
  const std::vector<Finding>& all = findings();
  for (; g_state->findings_seen < all.size(); ++g_state->findings_seen) {
    if (g_state->findings_seen < g_state->findings_before) continue;
    Recording& recording = g_state->recording;
    recording.findings.push_back(all[g_state->findings_seen]);
    if (running.block == nullptr || !is_shown(*running.block)) continue;
    Moment moment = moment_of(MomentKind::kFinding, *running.block, *running.warp, 0, 0);
    moment.at = {static_cast<unsigned>(recording.findings.size() - 1),
                 static_cast<unsigned>(running.lane_id), 0};
    recording.moments.push_back(std::move(moment));  // also where the recording is cut
  }
}

// Code without a line of the student's, and the launch's own steps, are not shown.
bool is_students(std::uint32_t pc) {
  const SourceLine& where = source_line(unpack_pc(pc));
  const Recording& recording = g_state->recording;
  return where.line != 0 && (where.line != recording.line || where.file != recording.file);
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

// Lanes of the warp that have come to a barrier or ended since the last look.
void record_leavers(const Block& block, const Warp& warp) {
  WarpRecord& record = record_of(block, warp);
  const std::uint32_t waiting = warp.at_barrier | warp.at_grid_barrier;
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

void record_access_of(const Block& block, const Warp& warp, std::uint32_t group) {
  WarpRecord& record = record_of(block, warp);
  const Stop& first = record.stops[static_cast<std::size_t>(std::countr_zero(group))];
  if (!is_students(first.pc) || !has_room()) return;
  constexpr std::array kKinds = {MomentKind::kRead, MomentKind::kWrite, MomentKind::kAtomic};
  // Lanes may go to different arrays: each gets a moment.
  while (group != 0) {
    const Stop& lead = record.stops[static_cast<std::size_t>(std::countr_zero(group))];
    const std::size_t array = array_of(lead.space, lead.address, number_of(block));
    const RecordedArray& memory = g_state->recording.arrays[array];
    Request request{lead.space, lead.access, static_cast<int>(lead.size_bytes), lead.pc, 0, 0, {}};
    Moment moment = moment_of(kKinds[std::size_t(lead.access)], block, warp, 0, lead.pc);
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      Stop& stop = record.stops[lane];
      if (stop.address - memory.base >= memory.size_bytes) continue;
      request.addresses[lane] = stop.address;
      request.lanes |= rest & -rest;
      ++request.num_lanes;
      stop.moment = g_state->recording.moments.size();
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
    g_state->recording.moments.push_back(std::move(moment));
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

bool may_stop() { return is_shown(*running.block) && !g_state->recording.is_cut; }

LaneValue* current_value(Stop& stop) {
  if (stop.moment == Stop::kNone) return nullptr;
  return &g_state->recording.moments[stop.moment].values[stop.value];
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

constexpr std::array kOperationNames = {"sync", "shuffle", "ballot", "match_any", "match_all",
                                        "add",  "min",     "max",    "min",       "max",
                                        "and",  "or",      "xor"};

}  // namespace

void begin_recording(const LaunchSite& site, const LaunchConfig& config) {
  if (g_listener == nullptr) return;
  if (std::find(g_launches.begin(), g_launches.end(), site.kernel) == g_launches.end()) {
    g_launches.emplace_back(site.kernel);
  }
  if (g_state != nullptr || !is_wanted(site.kernel)) return;
  g_state = new State;
  Recording& recording = g_state->recording;
  const std::string_view path(site.file);
  recording.kernel = site.kernel;
  recording.file = path.substr(path.rfind('/') + 1);
  recording.line = site.line;
  recording.config = config;
  const unsigned num_threads = config.block.x * config.block.y * config.block.z;
  g_state->warps_per_block = (num_threads + kWarpSize - 1) / kWarpSize;
  g_state->warps.resize(kMaxRecordedBlocks * g_state->warps_per_block);
  g_state->findings_before = g_state->findings_seen = findings().size();
  recording_is_on = true;
}

void end_recording() {
  record_findings();
  recording_is_on = false;
  g_listener(to_text(g_state->recording));
}

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
  if (is_shown(block)) keep(moment_of(MomentKind::kBlockEnd, block));
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
  if (!g_state->recording.is_cut) {
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
}

void record_operation_of(Warp& warp, std::uint32_t group, WarpOperation operation) {
  if (!is_shown(*running.block)) return;
  const Untraced untraced;
  const std::uint32_t pc =
      pack_pc(warp.lanes[static_cast<std::size_t>(std::countr_zero(group))].pc);
  if (!is_students(pc)) return;
  Moment moment = moment_of(MomentKind::kOperation, *running.block, warp, group, pc);
  moment.operation = kOperationNames[std::size_t(operation)];
  moment.size_bytes = operation == WarpOperation::kSync ? 0 : sizeof(Lane::value);
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

namespace simt {

void record_launch(std::string kernel, RecordingListener listener, LaneTurns turns) {
  device::g_turns = turns;
  device::g_wanted = std::move(kernel);
  device::g_listener = listener;
  device::g_launches.clear();
  delete std::exchange(device::g_state, nullptr);
}

std::vector<std::string> launches_seen() { return device::g_launches; }

}  // namespace simt
