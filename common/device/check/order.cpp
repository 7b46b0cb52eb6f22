// SPDX-License-Identifier: MIT
#include "check/order.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "check/lanes.h"

namespace check {
namespace {

using run::kWarpSize;

// Beyond this many fences in one launch everything counts as ordered.
constexpr std::size_t kMaxReleases = 1 << 20;

void set_stamp(BlockOrder& block) {
  block.stamp = Stamp{block.ordinal} << kOrdinalShift | Stamp{block.tick} << kTickShift;
}

void forget_barriers(BlockOrder& block) {
  for (WarpOrder& warp : block.warps) {
    warp.tick = 0;
    warp.known.clear();
    warp.ticks.clear();
  }
  block.brought.clear();
}

void join(std::vector<std::uint32_t>& ticks, const std::vector<std::uint32_t>& others) {
  ticks.resize(std::max(ticks.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) ticks[i] = std::max(ticks[i], others[i]);
}

std::uint64_t horizon_of(const BlockOrder& block, std::uint32_t warp, std::uint32_t lanes) {
  std::uint64_t horizon = block.horizon;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    horizon = std::max(horizon, block.warps[warp].horizons[lane]);
  });
  return horizon;
}

// What any of the lanes knows of each lane of its warp.
LaneTicks joint_knowledge(const WarpOrder& warp, std::uint32_t lanes) {
  LaneTicks joint = {};
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (int i = 0; i < kWarpSize; ++i) joint[i] = std::max(joint[i], warp.known[lane][i]);
  });
  return joint;
}

}  // namespace

bool Order::Release::covers(Stamp access) const {
  const std::uint32_t at = tick_of(access);
  if (at < barrier_tick) return true;
  if (!ticks.empty() && at < ticks[warp_of(access)]) return true;
  if (warp_of(access) != warp) return false;
  const std::uint32_t lane = thread_of(access) % kWarpSize;
  if ((lanes >> lane & 1) != 0 && at < tick) return true;
  return at < warp_tick || (known != nullptr && at < (*known)[lane]);
}

bool Order::is_full() const { return num_releases_ >= kMaxReleases; }

void Order::tick(BlockOrder& block) {
  block.tick += block.tick < kMaxTick;
  set_stamp(block);
}

void Order::take_ordinal(BlockOrder& block) {
  block.ordinal = next_ordinal_++;
  block.tick = 1;
  block.barrier_tick = 0;
  set_stamp(block);
}

void Order::begin_launch(std::uint32_t first_concurrent) {
  first_current_ = Stamp{next_ordinal_} << kOrdinalShift;
  first_to_compare_ = Stamp{first_concurrent} << kOrdinalShift;
  if (num_releases_ != 0) releases_.clear();
  num_releases_ = 0;
  has_partial_barriers_ = false;
}

void Order::start_block(BlockOrder& block, std::size_t num_warps) {
  block.horizon = block.next_horizon = 0;
  take_ordinal(block);
  block.warps.resize(num_warps);
  forget_barriers(block);
  for (WarpOrder& warp : block.warps) warp.horizons = {};
}

void Order::block_meets(BlockOrder& block) {
  tick(block);
  block.barrier_tick = block.tick;
  block.horizon = block.next_horizon;
}

void Order::grid_meets() {
  const bool is_alone = first_to_compare_ == first_current_;
  first_current_ = Stamp{next_ordinal_} << kOrdinalShift;
  if (is_alone) first_to_compare_ = first_current_;
}

void Order::grid_meets(BlockOrder& block) {
  take_ordinal(block);
  block.horizon = block.next_horizon = time_;
  forget_barriers(block);
}

void Order::add_release(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, bool for_device,
                        std::uint64_t horizon) {
  if (is_full()) return;
  const WarpOrder& own = block.warps[warp];
  Release release;
  release.warp = warp;
  release.lanes = lanes;
  release.for_device = for_device;
  release.tick = block.tick;
  release.warp_tick = own.tick;
  release.barrier_tick = block.barrier_tick;
  release.time = time_;
  release.horizon = horizon;
  release.ticks = own.ticks;
  if (!own.known.empty()) {
    release.known = std::make_unique<const LaneTicks>(joint_knowledge(own, lanes));
  }
  releases_[block.ordinal].push_back(std::move(release));
  ++num_releases_;
}

void Order::release(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, bool for_device) {
  tick(block);
  ++time_;
  add_release(block, warp, lanes, for_device, horizon_of(block, warp, lanes));
}

void Order::acquire(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes,
                    std::uint64_t until) const {
  if (num_releases_ == 0) return;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::uint64_t& horizon = block.warps[warp].horizons[lane];
    horizon = std::max(horizon, until);
  });
  block.next_horizon = std::max(block.next_horizon, until);
}

// After a tick.
void Order::add_knowledge(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes,
                          const void* barrier) {
  has_partial_barriers_ = true;
  Knowledge& brought = block.brought[barrier];
  brought.ticks.resize(block.warps.size());
  join(brought.ticks, block.warps[warp].ticks);
  brought.ticks[warp] = block.tick;
  brought.horizon = std::max(brought.horizon, horizon_of(block, warp, lanes));
}

void Order::bring(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, const void* barrier) {
  tick(block);
  add_knowledge(block, warp, lanes, barrier);
}

void Order::take(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, const void* barrier) {
  const Knowledge& brought = block.brought[barrier];
  join(block.warps[warp].ticks, brought.ticks);
  acquire(block, warp, lanes, brought.horizon);
}

void Order::threads_meet(BlockOrder& block, std::span<const std::uint32_t> lanes_by_warp,
                         const void* barrier) {
  const auto for_each_warp = [&](auto visit) {
    for (std::uint32_t warp = 0; warp < lanes_by_warp.size(); ++warp) {
      if (lanes_by_warp[warp] != 0) visit(warp, lanes_by_warp[warp]);
    }
  };
  tick(block);
  for_each_warp([&](auto warp, auto lanes) { add_knowledge(block, warp, lanes, barrier); });
  for_each_warp([&](auto warp, auto lanes) { take(block, warp, lanes, barrier); });
  block.brought.erase(barrier);
}

void Order::cluster_meets(std::span<BlockOrder* const> blocks) {
  ++time_;
  for (BlockOrder* const block : blocks) {
    block_meets(*block);
    add_release(*block, 0, 0, true, time_);
  }
  for (BlockOrder* const block : blocks) block->horizon = block->next_horizon = time_;
}

void Order::lanes_meet(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes,
                       std::uint32_t live) {
  WarpOrder& own = block.warps[warp];
  tick(block);
  if (block.next_horizon > block.horizon) {  // some thread knows more than all do
    const std::uint64_t horizon = horizon_of(block, warp, lanes);
    for_each_lane(lanes, [&](std::uint32_t lane) { own.horizons[lane] = horizon; });
  }
  if (lanes == live) {
    own.tick = block.tick;
    own.known.clear();
    return;
  }
  if (own.known.empty()) own.known.resize(kWarpSize);
  LaneTicks joint = joint_knowledge(own, lanes);
  for_each_lane(lanes, [&](std::uint32_t lane) { joint[lane] = block.tick; });
  for_each_lane(lanes, [&](std::uint32_t lane) { own.known[lane] = joint; });
}

bool Order::is_ordered(Stamp earlier, const Reader& now) const {
  const BlockOrder& block = *now.block;
  const bool is_same_block = ordinal_of(earlier) == block.ordinal;
  if (earlier < first_current_) return false;  // of another stream
  if (block.overflowed() || is_full()) return true;
  if (tick_of(earlier) >= kMaxTick) return true;
  const WarpOrder& warp = block.warps[now.thread / kWarpSize];
  const std::uint32_t lane = now.thread % kWarpSize;
  if (is_same_block) {
    const std::uint32_t at = tick_of(earlier);
    if (at < block.barrier_tick) return true;
    if (!warp.ticks.empty() && at < warp.ticks[warp_of(earlier)]) return true;
    if (warp_of(earlier) == now.thread / kWarpSize) {
      if (at < warp.tick) return true;
      const std::uint32_t other = thread_of(earlier) % kWarpSize;
      if (!warp.known.empty() && at < warp.known[lane][other]) return true;
    }
  }
  const auto found = releases_.find(ordinal_of(earlier));
  if (found == releases_.end()) return false;
  const std::uint64_t horizon = std::max(block.horizon, warp.horizons[lane]);
  std::uint64_t passed_on = 0;  // fences until then reach other blocks by later ones
  for (auto release = found->second.rbegin(); release != found->second.rend(); ++release) {
    if (release->time > horizon) continue;
    const bool reaches = is_same_block || release->for_device || release->time <= passed_on;
    if (reaches && release->covers(earlier)) return true;
    if (reaches) passed_on = std::max(passed_on, release->horizon);
  }
  return false;
}

bool Order::is_ordered_before_end(Stamp earlier, const BlockOrder& block) const {
  for (std::uint32_t thread = 0; thread < block.warps.size() * kWarpSize; ++thread) {
    if (is_ordered(earlier, {&block, thread})) return true;
  }
  return false;
}

}  // namespace check
