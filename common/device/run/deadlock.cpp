// SPDX-License-Identifier: MIT
// Threads that wait, as values for sentences; the end of a kernel with a finding.
#include <algorithm>
#include <optional>
#include <string>

#include "memory/book.h"
#include "run/barrier_object.h"
#include "run/engine.h"
#include "run/findings.h"

namespace run {
namespace {

report::Index index_of(const Dim& dim) { return {dim.x, dim.y, dim.z}; }

const code::Instruction& at(const Part& part) {
  const code::Function& function = *part.frames.back().function;
  return function.instructions[static_cast<std::size_t>(part.next - function.ops.data())];
}

// Of a part that waits for a phase of a barrier object in its block's shared memory: the object.
std::optional<report::ObjectWait> object_of(const RunningBlock& block, const Part& part) {
  const code::Function& function = *part.frames.back().function;
  if (part.waiting != Waiting::kMemory || part.next == function.ops.data()) return std::nullopt;
  const auto last = static_cast<std::size_t>(part.next - function.ops.data() - 1);
  const bool is_object = function.instructions[last].words.front() == "mbarrier";
  const std::uint64_t offset = part.last_poll;
  if (!is_object || offset + 8 > block.shared_bytes) return std::nullopt;
  std::string name = "at byte " + std::to_string(offset) + " of shared memory";
  for (const code::SharedVariable& variable : block.launch->kernel->shared) {
    const std::uint64_t within = offset - variable.offset;
    if (within >= variable.size_bytes) continue;
    name = (within == 0 ? "" : "at byte " + std::to_string(within) + " of ") + variable.name;
  }
  const ObjectPhase phase = phase_of(block.shared + offset);
  return report::ObjectWait{name, phase.parity, phase.arrived, phase.expected, phase.missing_bytes};
}

report::WaitsFor reason(const Part& part, const Barrier* barrier) {
  switch (part.waiting) {
    case Waiting::kBarrier:
      return barrier->expected == 0 ? report::WaitsFor::kBlockBarrier
                                    : report::WaitsFor::kNamedBarrier;
    case Waiting::kGrid:
      return report::WaitsFor::kGridBarrier;
    case Waiting::kCluster:
      return report::WaitsFor::kClusterBarrier;
    case Waiting::kWarpgroup:
      return report::WaitsFor::kWarpgroup;
    case Waiting::kWarp:
      return at(part).words.front() == "bar" ? report::WaitsFor::kSyncwarp
                                             : report::WaitsFor::kWarpOperation;
    default:
      return report::WaitsFor::kMemory;
  }
}

std::vector<report::WaitingThread> threads_of(const RunningBlock& block) {
  std::vector<report::WaitingThread> threads;
  for (const auto& warp : block.warps) {
    for (const auto& part : warp->parts) {
      const Barrier* const barrier =
          part->waiting == Waiting::kBarrier ? &block.barriers[part->barrier] : nullptr;
      const std::optional<report::ObjectWait> object = object_of(block, *part);
      for_each_lane(part->lanes & warp->live, [&](int lane) {
        report::WaitingThread thread;
        thread.id = warp->thread_id(lane);
        thread.place = place_of(*block.launch, part.get(), at(*part));
        thread.what = reason(*part, barrier);
        thread.mask = part->mask;
        if (object) {
          thread.what = report::WaitsFor::kBarrierObject;
          thread.object = *object;
        }
        if (barrier != nullptr) {
          thread.barrier = {static_cast<int>(part->barrier), barrier->arrived,
                            barrier->expected == 0 ? block.live : barrier->expected};
        }
        threads.push_back(thread);
      });
    }
  }
  std::ranges::sort(threads, {}, &report::WaitingThread::id);
  return threads;
}

// Lanes that wait in operations of different kinds or masks, and name each other.
bool has_mask_mismatch(const RunningBlock& block) {
  for (const auto& warp : block.warps) {
    for (const auto& part : warp->parts) {
      if (part->waiting != Waiting::kWarp) continue;
      for (const auto& other : warp->parts) {
        if (other != part && other->waiting == Waiting::kWarp && (part->mask & other->lanes) != 0) {
          return true;
        }
      }
    }
  }
  return false;
}

// A warp operation some of whose lanes wait at a barrier instead: which of the two to blame.
struct Stuck {
  report::WaitingThread caller;
  std::vector<report::WaitingThread> missing;
};
std::optional<Stuck> stuck_operation(const RunningBlock& block,
                                     const std::vector<report::WaitingThread>& threads) {
  for (const report::WaitingThread& caller : threads) {
    const bool is_operation = caller.what == report::WaitsFor::kSyncwarp ||
                              caller.what == report::WaitsFor::kWarpOperation;
    if (!is_operation) continue;
    Stuck stuck{caller, {}};
    for (const report::WaitingThread& other : threads) {
      const bool is_at_barrier = other.what == report::WaitsFor::kBlockBarrier ||
                                 other.what == report::WaitsFor::kNamedBarrier ||
                                 other.what == report::WaitsFor::kGridBarrier;
      const bool is_named = other.id / kWarpSize == caller.id / kWarpSize &&
                            (caller.mask >> (other.id % kWarpSize) & 1) != 0;
      if (is_at_barrier && is_named) stuck.missing.push_back(other);
    }
    if (!stuck.missing.empty()) return stuck;
  }
  static_cast<void>(block);
  return std::nullopt;
}

// Whether the barrier comes after the operation in the text: then the lanes have skipped it.
bool was_skipped(const Stuck& stuck) {
  const report::Place& barrier = stuck.missing.front().place;
  return barrier.file != stuck.caller.place.file || barrier.line > stuck.caller.place.line;
}

std::string block_name(const RunningBlock& block) {
  return report::block_name(index_of(block.index), index_of(block.launch->grid));
}

}  // namespace

report::ThreadId thread_id(const Warp& warp, int lane) {
  const Launch& launch = *warp.block->launch;
  return {report::index_of(warp.thread_id(lane), index_of(launch.block)),
          index_of(warp.block->index), index_of(launch.block), index_of(launch.grid)};
}

std::string thread_name(const Warp& warp, int lane) {
  return report::thread_name(thread_id(warp, lane));
}

void report_at(Warp& warp, const code::Instruction& instruction, report::Kind kind,
               std::string message) {
  const Launch& launch = *warp.block->launch;
  report::report(
      finding_at(kind, launch, place_of(launch, launch.running, instruction), std::move(message)));
}

void end_kernel(Warp& warp, const code::Instruction& instruction, report::Kind kind,
                std::string message, int error) {
  const Launch& launch = *warp.block->launch;
  throw Fault{
      finding_at(kind, launch, place_of(launch, launch.running, instruction), std::move(message)),
      error};
}

std::string mixed_barrier_message(const RunningBlock& block, std::uint32_t number) {
  return report::mixed_barrier_text(block_name(block),
                                    place_of(*block.launch, *block.barriers[number].instruction),
                                    threads_of(block));
}

void end_with_deadlock(const RunningBlock& block, const std::string& more) {
  const std::vector<report::WaitingThread> threads = threads_of(block);
  const bool mismatch = has_mask_mismatch(block);
  std::string message = report::deadlock_text(block_name(block), threads, mismatch);
  report::Place place = threads.empty() ? report::Place{} : threads.front().place;
  if (const std::optional<Stuck> stuck = stuck_operation(block, threads)) {
    const bool skipped = was_skipped(*stuck);
    place = skipped ? stuck->caller.place : stuck->missing.front().place;
    if (skipped) message += report::skipped_operation_text(stuck->caller, stuck->missing);
  }
  throw Fault{finding_at(mismatch ? report::Kind::kBarrierDivergence : report::Kind::kDeadlock,
                         *block.launch, place, message + more),
              cudaErrorLaunchTimeout};
}

bool polls_global_memory(const RunningBlock& block) {
  for (const auto& warp : block.warps) {
    for (const auto& part : warp->parts) {
      if (part->waiting != Waiting::kMemory || !memory::is_device(part->last_poll)) continue;
      const memory::Allocation* const found = memory::find(part->last_poll);
      if (found != nullptr && found->live && found->contains(part->last_poll)) return true;
    }
  }
  return false;
}

}  // namespace run
