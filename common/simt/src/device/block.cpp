// SPDX-License-Identifier: MIT
#include "block.h"

#include <algorithm>
#include <utility>

#include "address.h"
#include "tally.h"

namespace simt::device {

Block::Block(dim3 dim, const Schedule& schedule)
    : num_threads(static_cast<int>(dim.x * dim.y * dim.z)),
      warps(static_cast<std::size_t>((num_threads + kWarpSize - 1) / kWarpSize)) {
  for (std::size_t i = 0; i < warps.size(); ++i) {
    Warp& warp = warps[i];
    warp.id = static_cast<int>(schedule.warps(i));
    if (is_counting()) warp.trace = take_trace();
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto thread = static_cast<unsigned>(warp.thread_id(lane));
      warp.lanes[lane].index = {thread % dim.x, thread / dim.x % dim.y, thread / dim.x / dim.y};
    }
  }
}

Block::~Block() {
  for (Warp& warp : warps) {
    if (warp.trace != nullptr) give_back(std::move(warp.trace));
  }
}

void Block::start(uint3 block_index) {
  index = block_index;
  live = num_threads;
  runnable = static_cast<std::uint32_t>((std::uint64_t{1} << warps.size()) - 1);
  at_barrier = at_grid_barrier = predicates = 0;
  num_barriers = 0;
  barrier_is_mixed = false;
  order_block_start(*this);
  for (Warp& warp : warps) {
    const int num_lanes = std::min(num_threads - warp.thread_id(0), kWarpSize);
    warp.live = warp.ready = static_cast<std::uint32_t>((std::uint64_t{1} << num_lanes) - 1);
    for (Lane& lane : warp.lanes) {
      lane.last_poll = nullptr;
      lane.copies.under_way.clear();
    }
  }
}

void Block::resume_yielded() {
  for (Warp& warp : warps) {
    if (warp.yielded == 0) continue;
    warp.ready |= warp.yielded;
    warp.yielded = 0;
    mark_runnable(warp);
  }
}

void Block::release_barrier() {
  order_barrier(*this);
  for (Warp& warp : warps) {
    if (warp.at_barrier == 0) continue;
    record_barrier(warp, warp.at_barrier);
    warp.ready |= warp.at_barrier;
    warp.at_barrier = 0;
    mark_runnable(warp);
  }
  released_threads = at_barrier;
  released_predicates = predicates;
  at_barrier = predicates = 0;
  barrier_is_mixed = false;
}

void Block::release_grid_barrier() {
  if (is_counting() && at_grid_barrier != 0) {
    tally().count(pack_pc(grid_barrier_pc), Counter::kBarriers, 1);
  }
  order_grid_barrier_block(*this);
  for (Warp& warp : warps) {
    if (warp.at_grid_barrier == 0) continue;
    record_barrier(warp, warp.at_grid_barrier);
    warp.ready |= warp.at_grid_barrier;
    warp.at_grid_barrier = 0;
    mark_runnable(warp);
  }
  at_grid_barrier = 0;
}

bool Block::has_yielded() const {
  return std::any_of(warps.begin(), warps.end(), [](const Warp& w) { return w.yielded != 0; });
}

}  // namespace simt::device
