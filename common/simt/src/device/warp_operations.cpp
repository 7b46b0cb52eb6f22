// SPDX-License-Identifier: MIT
#include "warp_operations.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "describe.h"
#include "running.h"
#include "scheduler.h"
#include "simt/memory.h"
#include "simt/warp.h"

namespace simt {
namespace device {
namespace {

// Calls visit(lane) for each lane of the mask, in order.
template <class Visit>
void for_each_lane(Warp& warp, std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(warp.lanes[std::countr_zero(mask)]);
}

// Folds the lanes' values and gives all of them the result.
template <class Combine>
void reduce(Warp& warp, std::uint32_t group, Combine combine) {
  std::uint64_t total = warp.lanes[std::countr_zero(group)].value;
  for_each_lane(warp, group & (group - 1), [&](Lane& l) { total = combine(total, l.value); });
  for_each_lane(warp, group, [&](Lane& l) { l.result = total; });
}

void shuffle(Warp& warp, std::uint32_t group) {
  constexpr std::uint64_t poison = std::uint64_t{kPoisonWord} << 32 | kPoisonWord;
  for_each_lane(warp, group, [&](Lane& l) {
    const bool takes_part = group >> l.source_lane & 1;
    l.source_is_missing = !takes_part && (l.mask >> l.source_lane & 1) != 0;
    l.result = takes_part ? warp.lanes[l.source_lane].value : poison;
  });
}

// The lanes of `group` that hold `value`.
std::uint32_t lanes_with(Warp& warp, std::uint32_t group, std::uint64_t value) {
  std::uint32_t matching = 0;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    if (warp.lanes[std::countr_zero(rest)].value == value) matching |= rest & -rest;
  }
  return matching;
}

void perform(Warp& warp, std::uint32_t group, WarpOperation operation) {
  using U64 = std::uint64_t;
  const auto as_signed = [](U64 x) { return static_cast<std::int32_t>(x); };
  switch (operation) {
    case WarpOperation::kSync:
      return;
    case WarpOperation::kShuffle:
      return shuffle(warp, group);
    case WarpOperation::kBallot: {
      const std::uint32_t voters = lanes_with(warp, group, 1);
      return for_each_lane(warp, group, [&](Lane& l) { l.result = voters; });
    }
    case WarpOperation::kMatchAny:
      return for_each_lane(warp, group,
                           [&](Lane& l) { l.result = lanes_with(warp, group, l.value); });
    case WarpOperation::kMatchAll: {
      const U64 first = warp.lanes[std::countr_zero(group)].value;
      const bool all = lanes_with(warp, group, first) == group;
      return for_each_lane(warp, group, [&](Lane& l) { l.result = all ? group : 0; });
    }
    case WarpOperation::kAdd:
      return reduce(warp, group, [](U64 a, U64 b) { return a + b; });
    case WarpOperation::kMin:
      return reduce(warp, group, [](U64 a, U64 b) { return std::min(a, b); });
    case WarpOperation::kMax:
      return reduce(warp, group, [](U64 a, U64 b) { return std::max(a, b); });
    case WarpOperation::kMinSigned:
      return reduce(warp, group, [&](U64 a, U64 b) { return as_signed(a) < as_signed(b) ? a : b; });
    case WarpOperation::kMaxSigned:
      return reduce(warp, group, [&](U64 a, U64 b) { return as_signed(a) > as_signed(b) ? a : b; });
    case WarpOperation::kAnd:
      return reduce(warp, group, [](U64 a, U64 b) { return a & b; });
    case WarpOperation::kOr:
      return reduce(warp, group, [](U64 a, U64 b) { return a | b; });
    case WarpOperation::kXor:
      return reduce(warp, group, [](U64 a, U64 b) { return a ^ b; });
  }
}

// Performs the operation that `lane` waits in, if all lanes it waits for are in the same one.
void complete_operation(Warp& warp, const Lane& lane) {
  const std::uint32_t group = lane.mask & warp.live;
  if ((warp.in_operation & group) != group) return;
  bool agreed = true;
  for_each_lane(warp, group, [&](const Lane& other) {
    agreed = agreed && other.mask == lane.mask && other.operation == lane.operation;
  });
  if (!agreed) return;
  perform(warp, group, lane.operation);
  order_warp_operation(warp, group);
  record_operation(warp, group, Meeting::kCounted);
  warp.in_operation &= ~group;
  warp.ready |= group;
}

}  // namespace

void complete_operations(Warp& warp) {
  for (std::uint32_t waiting = warp.in_operation; waiting != 0;
       waiting &= warp.in_operation & (waiting - 1)) {
    complete_operation(warp, warp.lanes[std::countr_zero(waiting)]);
  }
}

void release_converged(Warp& warp) {
  const void* const pc = warp.lanes[std::countr_zero(warp.converging)].pc;
  std::uint32_t group = 0;
  for (std::uint32_t rest = warp.converging; rest != 0; rest &= rest - 1) {
    if (warp.lanes[std::countr_zero(rest)].pc == pc) group |= rest & -rest;
  }
  for_each_lane(warp, group, [&](Lane& lane) { lane.result = group; });
  record_operation(warp, group, Meeting::kUncounted);
  warp.converging &= ~group;
  warp.ready |= group;
}

}  // namespace device

using device::running;

std::uint64_t warp_operation(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                             int source_lane) {
  if (running.grid == nullptr) return value;
  device::Warp& warp = *running.warp;
  device::Lane& lane = running.lane();
  lane.pc = __builtin_return_address(0);
  lane.frame = __builtin_dwarf_cfa();
  if ((mask & running.lane_bit()) == 0) {
    device::report_lane_outside_mask(mask);
    mask = running.lane_bit();
  }
  lane.operation = operation;
  lane.mask = mask;
  lane.value = value;
  lane.source_lane = source_lane & (kWarpSize - 1);
  warp.ready &= ~running.lane_bit();
  warp.in_operation |= running.lane_bit();
  device::complete_operation(warp, lane);
  device::run_others();
  if (std::exchange(lane.source_is_missing, false)) device::report_missing_source();
  return lane.result;
}

int lane_id() { return running.lane_id; }

}  // namespace simt

unsigned __activemask() {
  using simt::device::running;
  if (running.grid == nullptr) return 1;
  simt::device::Lane& lane = running.lane();
  lane.pc = __builtin_return_address(0);
  lane.frame = __builtin_dwarf_cfa();
  running.warp->ready &= ~running.lane_bit();
  running.warp->converging |= running.lane_bit();
  simt::device::run_others();
  return static_cast<unsigned>(lane.result);
}
