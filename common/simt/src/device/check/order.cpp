// SPDX-License-Identifier: MIT
#include "check/order.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>

#include "check/concurrent_launch.h"
#include "run/part.h"
#include "run/running.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

// One fence: covers the accesses of its thread before `tick`, of its warp's lanes before warp_tick,
// or for each lane before the tick in `known`, of its block before barrier_tick.
struct Release {
  int thread;
  bool for_device;
  std::uint32_t tick;
  std::uint32_t warp_tick;
  std::uint32_t barrier_tick;
  std::uint64_t time;
  std::uint64_t horizon;  // what was released until then, its thread knew of
  std::unique_ptr<const LaneTicks>
      known;  // what its thread learned from parts of its warp, or null

  bool covers(Stamp access) const {
    const std::uint32_t at = tick_of(access);
    if (at < barrier_tick) return true;
    if (thread_of(access) == thread) return at < tick;
    if (thread_of(access) / kWarpSize != thread / kWarpSize) return false;
    return at < warp_tick || (known != nullptr && at < (*known)[thread_of(access) % kWarpSize]);
  }
};

// Beyond this many fences in one launch everything counts as ordered.
constexpr std::size_t kMaxReleases = 1 << 20;

std::unordered_map<std::uint32_t, std::vector<Release>> g_releases;  // by the block's ordinal
std::size_t g_num_releases = 0;
std::uint64_t g_time = 0;  // of the last release

std::uint32_t g_launch_ordinal = 1;  // of this launch
std::uint32_t g_next_ordinal = 1;

// Of the launches on other streams that may overlap this one; usually as first_current_ordinal.
std::uint32_t g_first_concurrent = 1;

void set_running_stamp() {
  running.stamp = running.checks->order.stamp | Stamp{running.thread_id} << kThreadShift;
}

void set_stamp(BlockOrder& order) {
  order.stamp = Stamp{order.ordinal} << kOrdinalShift | Stamp{order.tick} << kTickShift;
  if (running.checks != nullptr && &order == &running.checks->order) set_running_stamp();
}

void take_ordinal(BlockOrder& order) {
  order.ordinal = g_next_ordinal++;
  order.tick = 1;
  order.barrier_tick = 0;
  set_stamp(order);
}

void forget_barriers(BlockChecks& checks) {
  for (WarpOrder& warp : checks.warps) {
    warp.tick = 0;
    warp.known.clear();
  }
}

void tick(BlockOrder& order) {
  order.tick += order.tick < kMaxTick;
  set_stamp(order);
}

// Of a warp of the running block.
WarpOrder& order_of(const Warp& warp) {
  return running.checks->warps[static_cast<std::size_t>(warp.id)];
}

std::uint64_t running_horizon() {
  return std::max(running.checks->order.horizon, order_of(*running.warp).horizons[running.lane_id]);
}

}  // namespace

std::uint32_t first_current_ordinal = 1;
Stamp first_current_stamp = Stamp{1} << kOrdinalShift;

namespace {

void set_first_current(std::uint32_t ordinal) {
  first_current_ordinal = ordinal;
  first_current_stamp = Stamp{ordinal} << kOrdinalShift;
}

}  // namespace

bool is_concurrent(Stamp stamp) {
  return ordinal_of(stamp) >= g_first_concurrent && concurrent_kernel_of(stamp) != nullptr;
}

std::uint64_t start_number(Stamp stamp) { return ordinal_of(stamp) - g_launch_ordinal; }

bool has_fences(Stamp stamp) {
  const Untraced untraced;
  return g_releases.find(ordinal_of(stamp)) != g_releases.end();
}

std::uint32_t next_ordinal() { return g_next_ordinal; }
void skip_ordinals(std::uint32_t count) { g_next_ordinal += count; }
bool are_ordinals_scarce() { return g_next_ordinal > kMaxOrdinal / 2; }
void restart_ordinals() { g_next_ordinal = 1; }

void order_launch(std::uint32_t first_concurrent) {
  g_launch_ordinal = g_next_ordinal;
  set_first_current(g_next_ordinal);
  g_first_concurrent = first_concurrent;
  g_releases.clear();
  g_num_releases = 0;
}

void order_block_start(BlockChecks& checks) {
  checks.order = {};
  take_ordinal(checks.order);
  forget_barriers(checks);
  for (WarpOrder& warp : checks.warps) warp.horizons = {};
}

void order_turn_begin() { set_running_stamp(); }

void order_barrier(BlockChecks& checks) {
  tick(checks.order);
  checks.order.barrier_tick = checks.order.tick;
  checks.order.horizon = checks.order.next_horizon;
}

void order_grid_barrier_begin() { set_first_current(g_next_ordinal); }

void order_grid_barrier_block(BlockChecks& checks) {
  take_ordinal(checks.order);
  checks.order.horizon = checks.order.next_horizon = g_time;
  forget_barriers(checks);
}

void order_warp_sync(const Warp& warp, std::uint32_t group) {
  BlockOrder& order = running.checks->order;
  WarpOrder& own = order_of(warp);
  tick(order);
  const auto for_each = [&](auto visit) {
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
  };
  if (order.next_horizon > order.horizon) {  // some thread knows more than all do
    std::uint64_t horizon = 0;
    for_each([&](int lane) { horizon = std::max(horizon, own.horizons[lane]); });
    for_each([&](int lane) { own.horizons[lane] = horizon; });
  }
  if (group == warp.live) {
    own.tick = order.tick;
    own.known.clear();
    return;
  }
  const Untraced untraced;
  auto& known = own.known;
  if (known.empty()) known.resize(kWarpSize);
  LaneTicks joint = {};
  for_each([&](int lane) {
    for (int i = 0; i < kWarpSize; ++i) joint[i] = std::max(joint[i], known[lane][i]);
  });
  for_each([&](int lane) { joint[lane] = order.tick; });
  for_each([&](int lane) { known[lane] = joint; });
}

void order_release(bool for_device) {
  require_whole_launch();
  if (g_num_releases >= kMaxReleases) return;
  const Untraced untraced;
  BlockOrder& order = running.checks->order;
  tick(order);
  const int thread = running.warp->thread_id(running.lane_id);
  const WarpOrder& warp = order_of(*running.warp);
  auto known =
      warp.known.empty() ? nullptr : std::make_unique<const LaneTicks>(warp.known[running.lane_id]);
  g_releases[order.ordinal].push_back({thread, for_device, order.tick, warp.tick,
                                       order.barrier_tick, ++g_time, running_horizon(),
                                       std::move(known)});
  ++g_num_releases;
}

void order_acquire() {
  order_of(*running.warp).horizons[running.lane_id] = g_time;
  running.checks->order.next_horizon = g_time;
}

bool is_ordered(Stamp earlier) {
  const Untraced untraced;
  const BlockOrder& order = running.checks->order;
  const bool same_block = ordinal_of(earlier) == order.ordinal;
  if (ordinal_of(earlier) < first_current_ordinal) return false;  // of another stream
  if (order.overflowed() || g_num_releases >= kMaxReleases) return true;
  if (tick_of(earlier) >= kMaxTick) return true;
  if (same_block) {
    const std::uint32_t at = tick_of(earlier);
    if (at < order.barrier_tick) return true;
    const WarpOrder& warp = order_of(*running.warp);
    if (thread_of(earlier) / kWarpSize == running.warp->id) {
      if (at < warp.tick) return true;
      const int other = thread_of(earlier) % kWarpSize;
      if (!warp.known.empty() && at < warp.known[running.lane_id][other]) return true;
    }
  }
  const auto found = g_releases.find(ordinal_of(earlier));
  if (found == g_releases.end()) return false;
  const std::uint64_t horizon = running_horizon();
  std::uint64_t passed_on = 0;  // fences until then reach other blocks by later ones
  for (auto release = found->second.rbegin(); release != found->second.rend(); ++release) {
    if (release->time > horizon) continue;
    const bool reaches = same_block || release->for_device || release->time <= passed_on;
    if (reaches && release->covers(earlier)) return true;
    if (reaches) passed_on = std::max(passed_on, release->horizon);
  }
  return false;
}

}  // namespace simt::device
