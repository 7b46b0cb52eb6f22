// SPDX-License-Identifier: MIT
#include "run/warp_operations.h"

#include <algorithm>
#include <array>
#include <bit>

#include "run/block.h"
#include "run/events.h"
#include "simt/memory.h"
#include "simt/warp.h"

namespace simt::device {
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

void call_once(Warp& warp, std::uint32_t group) {
  std::array<void*, kWarpSize> arguments = {};
  const auto call_of = [](const Lane& lane) {
    return reinterpret_cast<const WarpCall*>(lane.value);
  };
  for_each_lane(warp, group, [&](const Lane& lane) {
    arguments[static_cast<std::size_t>(&lane - warp.lanes.data())] = call_of(lane)->argument;
  });
  call_of(warp.lanes[std::countr_zero(group)])->function(arguments.data());
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
    case WarpOperation::kTogether:
      return call_once(warp, group);
  }
}

}  // namespace

void complete_operation(Warp& warp, const Lane& lane) {
  const std::uint32_t group = lane.mask & warp.live;
  if ((warp.in_operation & group) != group) return;
  bool agreed = true;
  for_each_lane(warp, group, [&](const Lane& other) {
    agreed = agreed && other.mask == lane.mask && other.operation == lane.operation;
  });
  if (!agreed) return;
  perform(warp, group, lane.operation);
  on_warp_operation(warp, group, lane.operation);
  warp.in_operation &= ~group;
  warp.ready |= group;
}

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
  on_convergence(warp, group);
  warp.converging &= ~group;
  warp.ready |= group;
}

}  // namespace simt::device
