// SPDX-License-Identifier: MIT
#include "run/named_barrier.h"

#include <bit>

#include "run/block.h"
#include "run/events.h"
#include "run/running.h"

namespace simt::device {
namespace {

bool is_complete(const Block& block, const NamedBarrier& barrier) {
  int num_threads = 0;
  bool are_all = true;
  for (const Warp& warp : block.warps) {
    const std::uint32_t lanes = barrier.lanes[static_cast<std::size_t>(warp.id)];
    const bool is_there = (warp.live & ~lanes) == 0;
    are_all = are_all && is_there;
    if (is_there && lanes != 0) num_threads += kWarpSize;
  }
  return barrier.expected == 0 ? are_all : num_threads >= barrier.expected;
}

void release_if_complete(Block& block, int number) {
  NamedBarrier& barrier = block.named_barriers[number];
  if (barrier.pc == nullptr || !is_complete(block, barrier)) return;
  on_named_barrier(block, number);
  for (Warp& warp : block.warps) {
    const std::uint32_t released = lanes_at(warp, number);
    if (released == 0) continue;
    warp.at_named_barrier &= ~released;
    warp.ready |= released;
    block.mark_runnable(warp);
  }
  barrier = {};
}

}  // namespace

bool arrive_at_named_barrier(int number, int num_threads, bool waits) {
  Block& block = *running.block;
  Warp& warp = *running.warp;
  NamedBarrier& barrier = block.named_barriers[number];
  if (barrier.pc == nullptr) {
    barrier.expected = num_threads;
    barrier.pc = running.lane->pc;
  }
  if (barrier.expected != num_threads) return false;
  barrier.lanes[static_cast<std::size_t>(warp.id)] |= running.lane_bit();
  if (waits) {
    running.lane->named_barrier = number;
    warp.ready &= ~running.lane_bit();
    warp.at_named_barrier |= running.lane_bit();
  }
  release_if_complete(block, number);
  return true;
}

void release_named_barriers(Block& block) {
  for (int number = -kNumTileBarriers; number < kNumPtxBarriers; ++number) {
    release_if_complete(block, number);
  }
}

std::uint32_t lanes_at(const Warp& warp, int number) {
  std::uint32_t found = 0;
  for (std::uint32_t rest = warp.at_named_barrier; rest != 0; rest &= rest - 1) {
    if (warp.lanes[std::countr_zero(rest)].named_barrier == number) found |= rest & -rest;
  }
  return found;
}

}  // namespace simt::device
