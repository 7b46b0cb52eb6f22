// SPDX-License-Identifier: MIT
#include "trace.h"

#include <bit>
#include <utility>

#include "address.h"
#include "fiber.h"
#include "running.h"
#include "scheduler.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

// The widest access that one instruction makes.
constexpr std::size_t kMaxAccessBytes = 16;

// threadIdx and its like, which a device has in registers.
bool is_builtin(std::uintptr_t address) {
  const auto lies_in = [address](const auto& variable) {
    return address - reinterpret_cast<std::uintptr_t>(&variable) < sizeof variable;
  };
  return lies_in(thread_index) || lies_in(block_index) || lies_in(block_dim) || lies_in(grid_dim);
}

std::vector<std::unique_ptr<WarpTrace>> g_spare;

// Nothing for what is no memory of the device: another thread's stack, built-in variables.
std::optional<MemorySpace> space_of(std::uintptr_t address) {
  if (is_device_address(reinterpret_cast<const void*>(address))) return MemorySpace::kGlobal;
  const SharedShadow& shadow = running.block->shared_shadow;
  if (shadow.static_region.contains(address) || shadow.dynamic_region.contains(address)) {
    return MemorySpace::kShared;
  }
  if (is_builtin(address) || is_fiber_stack(address)) return std::nullopt;
  return MemorySpace::kGlobal;  // the program's __device__ variables, or pinned memory of the host
}

std::uint32_t height_of(const LaneTrace& trace, Place place) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(place.frame) -
                                    trace.stack_top);
}

// Steps of smaller order come first: deeper calls before their callers, then smaller addresses.
std::uint64_t step_order(std::uint32_t height, std::uint32_t pc) {
  return std::uint64_t{height} << 32 | pc;
}

void pause(const void* pc) {
  running.lane().pc = pc;
  running.warp->ready &= ~running.lane_bit();
  running.warp->paused |= running.lane_bit();
  run_others();
}

// Copies of whole structs become as many accesses as a device makes of them, each in the widest
// power of two that the struct is a multiple of.
std::size_t access_bytes(std::uintptr_t address, std::size_t size_bytes) {
  if (size_bytes <= kMaxAccessBytes && std::has_single_bit(size_bytes)) return size_bytes;
  const std::size_t bits = address | size_bytes | kMaxAccessBytes;
  return bits & -bits;
}

}  // namespace

void LaneTrace::grow() {
  const Untraced untraced;
  events.reserve(2 * events.capacity() + kMaxEvents);
}

std::unique_ptr<WarpTrace> take_trace() {
  if (g_spare.empty()) {
    auto trace = std::make_unique<WarpTrace>();
    // Different sizes keep the lists from competing for the same sets of the cache.
    for (int lane = 0; lane < kWarpSize; ++lane) {
      trace->lanes[lane].events.reserve(LaneTrace::kMaxEvents + 32 + lane % 16 * 8);
    }
    return trace;
  }
  std::unique_ptr<WarpTrace> trace = std::move(g_spare.back());
  g_spare.pop_back();
  return trace;
}

void give_back(std::unique_ptr<WarpTrace> trace) {
  trace->parting = 0;
  for (LaneTrace& lane : trace->lanes) {
    lane.events.clear();
    lane.next = 0;
  }
  g_spare.push_back(std::move(trace));
}

void record_step(Place place) {
  LaneTrace& trace = *running.trace;
  if (trace.is_full()) pause(place.pc);
  const std::uint32_t pc = pack_pc(place.pc);
  trace.height = height_of(trace, place);
  trace.push(EventKind::kStep, pc, step_order(trace.height, pc));
}

void record_access(AccessKind kind, std::uintptr_t address, std::size_t size_bytes, Place place) {
  const std::optional<MemorySpace> space = space_of(address);
  if (!space) return;
  LaneTrace& trace = *running.trace;
  const std::uint32_t pc = pack_pc(place.pc);
  const std::uint32_t height = height_of(trace, place);
  if (height != trace.height) {
    trace.height = height;
    trace.push(EventKind::kContinue, pc, step_order(height, pc));
  }
  const std::size_t step = access_bytes(address, size_bytes);
  const std::uint64_t code =
      std::uint64_t(*space) << 48 | std::uint64_t(kind) << 52 | std::uint64_t{step} << 32;
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
  record_barrier(warp, group);
}

// The basic block goes on after the call, and its end is a branch to watch.
void record_barrier(Warp& warp, std::uint32_t group) {
  if (warp.trace == nullptr) return;
  const Untraced untraced;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    LaneTrace& trace = warp.trace->lanes[lane];
    const Place place = {warp.lanes[lane].pc, warp.lanes[lane].frame};
    trace.height = height_of(trace, place);
    trace.push(EventKind::kContinue, pack_pc(place.pc),
               step_order(trace.height, pack_pc(place.pc)));
  }
}

}  // namespace simt::device
