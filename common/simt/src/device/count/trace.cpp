// SPDX-License-Identifier: MIT
#include "count/trace.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "count/tally.h"
#include "program/address.h"
#include "program/device_variables.h"
#include "run/block.h"
#include "run/built_ins.h"
#include "run/fiber.h"
#include "run/running.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/memory.h"

namespace simt::device {

std::uint64_t publications_made = 0;

namespace {

// The widest access that one instruction makes.
constexpr std::size_t kMaxAccessBytes = 16;

std::vector<std::unique_ptr<WarpTrace>> g_spare;

bool is_of_program(std::uintptr_t address) {
  const std::uintptr_t begin = number(&__executable_start);
  return address - begin < number(&_end) - begin;
}

// Memory of the host that kernels may use, or the program's __device__ variables.
bool is_pinned_or_of_program(std::uintptr_t address) {
  if (is_of_program(address)) return true;
  const Untraced untraced;
  const void* const p = reinterpret_cast<const void*>(address);
  const Allocation* const allocation = find_allocation(p);
  return allocation != nullptr && allocation->contains(p);
}

bool reads_constant(AccessKind kind, std::uintptr_t address) {
  if (kind != AccessKind::kRead || !is_of_program(address)) return false;
  const Untraced untraced;
  return owner_of_variable(address) == Owner::kConstant;
}

// How deep a frame is in a stack. Counts from the stack's top, so that it agrees between lanes.
std::uint32_t height_of(const void* frame, std::uintptr_t stack_top) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(frame) - stack_top);
}

// Of the running lane.
std::uint32_t height_of(Place place) {
  return height_of(place.frame, running.stack_low + running.stack_bytes);
}

// Steps of smaller order come first: deeper calls before their callers, then smaller addresses.
std::uint64_t step_order(std::uint32_t height, std::uint32_t pc) {
  return std::uint64_t{height} << 32 | pc;
}

WarpTrace* take_trace() {
  if (g_spare.empty()) {
    auto trace = std::make_unique<WarpTrace>();
    // Different sizes keep the lists from competing for the same sets of the cache.
    for (int lane = 0; lane < kWarpSize; ++lane) {
      trace->lanes[lane].events.reserve(LaneTrace::kMaxEvents + 32 + lane % 16 * 8);
    }
    return trace.release();
  }
  std::unique_ptr<WarpTrace> trace = std::move(g_spare.back());
  g_spare.pop_back();
  return trace.release();
}

void give_back(WarpTrace* trace) {
  trace->parting = 0;
  for (LaneTrace& lane : trace->lanes) {
    lane.events.clear();
    lane.next = 0;
  }
  g_spare.emplace_back(trace);
}

}  // namespace

std::optional<MemorySpace> space_of(std::uintptr_t address) {
  if (is_device_address(reinterpret_cast<const void*>(address))) return MemorySpace::kGlobal;
  if (running.static_shared.contains(address) || running.dynamic_shared.contains(address)) {
    return MemorySpace::kShared;
  }
  if (is_builtin(address) || is_fiber_stack(address)) return std::nullopt;
  if (is_pinned_or_of_program(address)) return MemorySpace::kGlobal;
  return std::nullopt;
}

std::size_t access_bytes(std::uintptr_t address, std::size_t size_bytes) {
  if (size_bytes <= kMaxAccessBytes && std::has_single_bit(size_bytes)) return size_bytes;
  const std::size_t bits = address | size_bytes | kMaxAccessBytes;
  return bits & -bits;
}

std::uint64_t step_order(Place place) { return step_order(height_of(place), pack_pc(place.pc)); }

void pause(const void* pc) {
  running.lane->pc = pc;
  running.warp->ready &= ~running.lane_bit();
  running.warp->paused |= running.lane_bit();
  run_others();
}

void LaneTrace::grow() {
  const Untraced untraced;
  events.reserve(2 * events.capacity() + kMaxEvents);
}

void make_traces(Block& block) {
  for (Warp& warp : block.warps) {
    warp.trace = {take_trace(), give_back};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      warp.lanes[lane].trace = &warp.trace->lanes[lane];
    }
  }
}

void begin_traces(Block& block) {
  for (Warp& warp : block.warps) {
    for (LaneTrace& lane : warp.trace->lanes) {
      lane.height = 0;
      lane.chain = 0;
      lane.started_after = publications_made;
    }
    warp.trace->num_passes = 0;
    warp.trace->num_polled = 0;
    warp.trace->num_polls = 0;
  }
}

void record_step(Place place) {
  LaneTrace& trace = *running.trace;
  if (trace.is_full()) pause(place.pc);
  const std::uint32_t pc = pack_pc(place.pc);
  trace.height = height_of(place);
  trace.push(EventKind::kStep, pc, step_order(trace.height, pc));
}

void record_access(AccessKind kind, std::uintptr_t address, std::size_t size_bytes, Place place,
                   bool polls) {
  const std::optional<MemorySpace> space = space_of(address);
  if (!space) return;
  LaneTrace& trace = *running.trace;
  const std::uint32_t pc = pack_pc(place.pc);
  const std::uint32_t height = height_of(place);
  if (height != trace.height) {
    trace.height = height;
    trace.push(EventKind::kContinue, pc, step_order(height, pc));
  }
  const std::size_t step = access_bytes(address, size_bytes);
  const std::uint64_t code = std::uint64_t(*space) << 48 | std::uint64_t{polls} << 49 |
                             std::uint64_t{reads_constant(kind, address)} << 50 |
                             std::uint64_t(kind) << 52 | std::uint64_t{step} << 32;
  if (kind == AccessKind::kAtomic) {
    const Untraced untraced;
    tally().count_most(pc, Counter::kAtomicsMaxPerBlock, ++running.block->num_atomics);
  }
  if (*space == MemorySpace::kGlobal) {
    const Untraced untraced;
    const auto counter = exposing_counter(reinterpret_cast<const void*>(address));
    // What a kernel reads may come from the host, unless it is a variable of the device's.
    if (counter == Counter::kHostBytes || (counter && kind != AccessKind::kRead)) {
      tally().count_exposed(pc, *counter, address, size_bytes);
    }
  }
  for (std::size_t done = 0; done < size_bytes; done += step) {
    trace.push(EventKind::kAccess, pc, address + done, code);
  }
}

void record_operation(Warp& warp, std::uint32_t group, Meeting meeting) {
  if (warp.trace == nullptr) return;
  const Untraced untraced;
  const std::uint64_t number = ++warp.trace->num_operations;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.trace->lanes[lane].push(EventKind::kOperation, pack_pc(warp.lanes[lane].pc),
                                 number << 32 | group,
                                 std::uint64_t{meeting == Meeting::kCounted} << 32);
  }
  share_chain(warp, group, longest_chain(warp, group));
  record_barrier(warp, group);
}

// The basic block goes on after the call, and its end is a branch to watch.
void record_barrier(Warp& warp, std::uint32_t group) {
  if (warp.trace == nullptr) return;
  const Untraced untraced;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    LaneTrace& trace = warp.trace->lanes[lane];
    const Lane& own = warp.lanes[lane];
    const std::uint32_t pc = pack_pc(own.pc);
    trace.height = height_of(own.frame, own.fiber->stack_low + own.fiber->stack_bytes);
    trace.push(EventKind::kContinue, pc, step_order(trace.height, pc));
  }
}

std::uint64_t longest_chain(const Warp& warp, std::uint32_t lanes) {
  std::uint64_t longest = 0;
  if (warp.trace == nullptr) return longest;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    longest = std::max(longest, warp.trace->lanes[std::countr_zero(rest)].chain);
  }
  return longest;
}

void share_chain(Warp& warp, std::uint32_t lanes, std::uint64_t length) {
  if (warp.trace == nullptr) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    std::uint64_t& own = warp.trace->lanes[std::countr_zero(rest)].chain;
    own = std::max(own, length);
  }
}

}  // namespace simt::device
