// SPDX-License-Identifier: MIT
#include "run/block.h"

#include <algorithm>
#include <bit>

#include "run/events.h"

namespace simt::device {
namespace {

// Makes the lanes of one of the warp's sets ready.
void resume(Block& block, Warp& warp, std::uint32_t& set) {
  if (set == 0) return;
  warp.ready |= set;
  set = 0;
  block.mark_runnable(warp);
}

}  // namespace

Block::Block(dim3 dim, const Schedule& schedule)
    : num_threads(static_cast<int>(dim.x * dim.y * dim.z)),
      warps(static_cast<std::size_t>((num_threads + kWarpSize - 1) / kWarpSize)) {
  for (std::size_t i = 0; i < warps.size(); ++i) {
    Warp& warp = warps[i];
    warp.id = static_cast<int>(schedule.warps(i));
    for (int lane = 0; lane < kWarpSize; ++lane) {
      warp.lanes[lane].index = thread_index_of(warp.thread_id(lane), dim);
    }
  }
  on_block_made(*this);
}

void Block::start(uint3 block_index) {
  index = block_index;
  live = num_threads;
  runnable = static_cast<std::uint32_t>((std::uint64_t{1} << warps.size()) - 1);
  at_barrier = at_grid_barrier = predicates = 0;
  num_barriers = num_counted_barriers = num_atomics = num_sectors = 0;
  barrier_is_mixed = false;
  named_barriers.clear();
  for (Warp& warp : warps) {
    const int num_lanes = std::min(num_threads - warp.thread_id(0), kWarpSize);
    warp.live = warp.ready = static_cast<std::uint32_t>((std::uint64_t{1} << num_lanes) - 1);
    for (Lane& lane : warp.lanes) lane.last_poll = lane.last_barrier = nullptr;
  }
  on_block_start(*this);
}

void Block::resume_yielded() {
  for (Warp& warp : warps) resume(*this, warp, warp.yielded);
}

void Block::resume_pollers(const void* address) {
  for (Warp& warp : warps) {
    std::uint32_t pollers = 0;
    for (std::uint32_t rest = warp.yielded; rest != 0; rest &= rest - 1) {
      if (warp.lanes[std::countr_zero(rest)].last_poll == address) pollers |= rest & -rest;
    }
    warp.yielded &= ~pollers;
    resume(*this, warp, pollers);
  }
}

void Block::release_barrier() {
  on_barrier(*this);
  for (Warp& warp : warps) resume(*this, warp, warp.at_barrier);
  released_threads = at_barrier;
  released_predicates = predicates;
  at_barrier = predicates = 0;
  barrier_is_mixed = false;
}

void Block::release_grid_barrier() {
  on_grid_barrier(*this);
  for (Warp& warp : warps) resume(*this, warp, warp.at_grid_barrier);
  at_grid_barrier = 0;
}

bool Block::has_yielded() const {
  return std::any_of(warps.begin(), warps.end(), [](const Warp& w) { return w.yielded != 0; });
}

}  // namespace simt::device
