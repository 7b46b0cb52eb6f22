// SPDX-License-Identifier: MIT
#include "run/waiting.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "program/address.h"
#include "program/device_variables.h"
#include "program/source_line.h"
#include "run/block.h"
#include "simt/memory.h"

// The linker's beginning of the program's variables.
extern "C" char __data_start;

namespace simt::device {
namespace {

bool is_devices_variable(const void* place) {
  const std::uintptr_t address = number(place);
  const std::uintptr_t begin = number(&__data_start);
  if (address - begin >= number(&_end) - begin) return false;
  const Owner owner = owner_of_variable(address);
  return owner == Owner::kDevice || owner == Owner::kManaged;
}

WaitsFor reason(const Warp& warp, int lane_id) {
  const std::uint32_t bit = 1u << lane_id;
  if (warp.at_barrier & bit) return WaitsFor::kBlockBarrier;
  if (warp.at_named_barrier & bit) return WaitsFor::kNamedBarrier;
  if (warp.at_grid_barrier & bit) return WaitsFor::kGridBarrier;
  if (warp.yielded & bit) return WaitsFor::kMemory;
  const bool is_sync = warp.lanes[lane_id].operation == WarpOperation::kSync;
  return is_sync ? WaitsFor::kSyncwarp : WaitsFor::kWarpOperation;
}

WaitingThread waiting_thread(const Block& block, const Warp& warp, int lane_id) {
  const Lane& lane = warp.lanes[lane_id];
  const NamedBarrier& barrier = block.named_barriers[lane.named_barrier];
  const int expected = barrier.expected == 0 ? block.live : barrier.expected;
  return {warp.thread_id(lane_id),
          lane.pc,
          reason(warp, lane_id),
          lane.mask,
          {lane.named_barrier, barrier.num_arrived(), expected}};
}

// Whether a barrier comes after the warp operation in which `caller` waits. In one function the
// order is that of the code; but a barrier at which the caller waited last is that of the loop's
// next round. Between functions there is no order: then the operation counts as first.
bool is_behind(const void* barrier_pc, const Lane& caller) {
  return caller.last_barrier == barrier_pc || number(barrier_pc) > number(caller.pc) ||
         !function_of(barrier_pc).contains(caller.pc);
}

template <class Visit>  // visit(warp, lane_id) for each live lane, in order of thread ids
void for_each_live(const Block& block, Visit visit) {
  std::vector<const Warp*> warps;
  for (const Warp& warp : block.warps) warps.push_back(&warp);
  std::sort(warps.begin(), warps.end(), [](auto* a, auto* b) { return a->id < b->id; });
  for (const Warp* warp : warps) {
    for (std::uint32_t live = warp->live; live != 0; live &= live - 1) {
      visit(*warp, std::countr_zero(live));
    }
  }
}

}  // namespace

std::vector<WaitingThread> waiting_threads(const Block& block) {
  std::vector<WaitingThread> threads;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    threads.push_back(waiting_thread(block, warp, lane_id));
  });
  return threads;
}

std::optional<StuckOperation> stuck_operation(const Block& block) {
  std::optional<StuckOperation> found;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    if (found || (warp.in_operation >> lane_id & 1) == 0) return;
    const Lane& caller = warp.lanes[lane_id];
    const std::uint32_t at_barrier = warp.at_barrier | warp.at_named_barrier | warp.at_grid_barrier;
    std::vector<WaitingThread> missing;
    for (std::uint32_t rest = caller.mask & warp.live & at_barrier; rest != 0; rest &= rest - 1) {
      missing.push_back(waiting_thread(block, warp, std::countr_zero(rest)));
    }
    if (missing.empty()) return;
    const bool was_skipped = is_behind(missing.front().pc, caller);
    found = {waiting_thread(block, warp, lane_id), std::move(missing), was_skipped};
  });
  return found;
}

bool polls_global_memory(const Block& block) {
  bool polls = false;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    if ((warp.yielded >> lane_id & 1) == 0) return;
    const void* const place = warp.lanes[lane_id].last_poll;
    const Allocation* const found = find_allocation(place);
    const bool is_allocated = found != nullptr && found->live && found->contains(place);
    polls = polls || is_allocated || is_devices_variable(place);
  });
  return polls;
}

bool has_mask_mismatch(const Block& block) {
  bool mismatch = false;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    if (!(warp.in_operation >> lane_id & 1)) return;
    const Lane& lane = warp.lanes[lane_id];
    for (std::uint32_t rest = lane.mask & warp.in_operation; rest != 0; rest &= rest - 1) {
      const Lane& other = warp.lanes[std::countr_zero(rest)];
      mismatch = mismatch || other.mask != lane.mask || other.operation != lane.operation;
    }
  });
  return mismatch;
}

}  // namespace simt::device
