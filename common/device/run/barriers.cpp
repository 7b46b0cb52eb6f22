// SPDX-License-Identifier: MIT
// Barriers of a block, of a part of it, of a cluster and of the grid.
#include <algorithm>
#include <stdexcept>

#include "report/waiting_text.h"
#include "run/engine.h"
#include "run/machine_call.h"

namespace run {
namespace {

// A block that polls between barriers changes nothing, and yet each barrier is progress. After so
// many of them others go on.
constexpr std::uint64_t kBarriersPerTurn = 1024;

using code::File;
using code::Instruction;
using code::Op;

struct BarrierForm {
  code::Slot number, count, predicate, result;
  std::uint32_t fixed_number = 0;
  bool waits = true;
  enum class Vote : std::uint8_t { kNone, kCount, kAnd, kOr } vote = Vote::kNone;
};

const BarrierForm& form_of(const Op* op) { return *static_cast<const BarrierForm*>(op->details); }

// Compilers copy a call; copies have its place in the source, with all that it was inlined into.
bool is_other_call(const Warp& warp, const Instruction& a, const Instruction& b) {
  if (&a == &b || a.place == b.place) return false;
  const code::Program& program = warp.engine->program;
  if (a.place == ptx::kNoPlace || b.place == ptx::kNoPlace) return false;
  const ptx::Place& first = program.module.places[a.place];
  const ptx::Place& second = program.module.places[b.place];
  if (first.file == second.file && first.line == second.line && first.column == second.column &&
      program.line_of(a.place) == program.line_of(b.place)) {
    // The same text; another function may have been inlined twice, which is two barriers only where
    // the calls are at different columns.
    for (std::uint32_t x = a.place, y = b.place;;) {
      x = program.module.places[x].inlined_at;
      y = program.module.places[y].inlined_at;
      if (x == ptx::kNoPlace || y == ptx::kNoPlace) return x != y;
      const ptx::Place& p = program.module.places[x];
      const ptx::Place& q = program.module.places[y];
      if (p.line != q.line || p.column != q.column || p.file != q.file) return true;
    }
  }
  return true;
}

bool is_complete(const RunningBlock& block, const Barrier& barrier) {
  if (barrier.instruction == nullptr) return false;
  if (barrier.expected == 0 || barrier.expected == block.num_threads) {
    if (barrier.arrived < block.live) return false;
    // Of the threads that have arrived, some may have ended.
    return barrier.passing.empty() || std::ranges::all_of(block.warps, [&](const auto& warp) {
             return (warp->live & ~barrier.lanes[warp->id]) == 0;
           });
  }
  std::uint32_t threads = 0;  // a warp counts as a whole once all of its live lanes are there
  for (const auto& warp : block.warps) {
    const std::uint32_t lanes = barrier.lanes[warp->id];
    if (lanes != 0 && (warp->live & ~lanes) == 0) threads += kWarpSize;
  }
  return threads >= barrier.expected;
}

bool is_of_all(const RunningBlock& block, const Barrier& barrier) {
  return barrier.arrived >= block.live;
}

// At a named barrier.
void give_vote(Warp& warp, Part& part, const Barrier& barrier) {
  const BarrierForm& form = form_of(part.next);
  if (form.vote == BarrierForm::Vote::kNone) return;
  const Frame& frame = part.frames.back();
  const bool truth =
      form.vote == BarrierForm::Vote::kOr ? barrier.votes != 0 : barrier.votes == barrier.arrived;
  if (form.result.file == File::kPredicate) {
    auto& row = *reinterpret_cast<std::uint32_t*>(warp.file_predicate.data() +
                                                  frame.base_predicate + form.result.offset);
    row = (row & ~part.lanes) | (truth ? part.lanes : 0);
  } else {
    auto* const row =
        reinterpret_cast<std::uint32_t*>(warp.file32.data() + frame.base32 + form.result.offset);
    for_each_lane(part.lanes, [&](int lane) { row[lane] = barrier.votes; });
  }
}

void release(RunningBlock& block, std::uint32_t number) {
  Barrier& barrier = block.barriers[number];
  Engine& engine = *block.warps.front()->engine;
  Warp& any = *block.warps.front();
  if (barrier.is_mixed) {
    report_at(any, *barrier.instruction, report::Kind::kBarrierDivergence,
              mixed_barrier_message(block, number));
  }
  for (std::size_t i = 0; i < barrier.passing.size(); ++i) barrier.lanes[i] &= ~barrier.passing[i];
  const bool all = is_of_all(block, barrier) && barrier.passing.empty();
  for (Monitor* const monitor : engine.monitors) {
    if (all) {
      monitor->block_meets(block, *barrier.instruction);
    } else {
      monitor->threads_meet(block, barrier.lanes, *barrier.instruction, &barrier);
    }
  }
  for (const auto& warp : block.warps) {
    for (const auto& part : warp->parts) {
      if (part->waiting != Waiting::kBarrier || part->barrier != number) continue;
      if (number < kNumNamedBarriers) give_vote(*warp, *part, barrier);
      part->waiting = Waiting::kNothing;
      part->last_barrier = barrier.instruction;
      ++part->next;
    }
  }
  ++engine.changes;
  barrier.instruction = nullptr;
  barrier.arrived = barrier.votes = 0;
  barrier.is_mixed = false;
  std::ranges::fill(barrier.lanes, 0);
  barrier.passing.clear();
  block.next_warp = 0;  // the warps run in order again
  if (!all) return;
  const std::uint64_t n_in_block = block.num_barriers++;
  block.had_long_turn = block.num_barriers % kBarriersPerTurn == 0;
  if (engine.running->launch->is_counted) return;
  block.was_interrupted =
      engine.running->schedule.interrupts(engine.running->num_barriers++, n_in_block);
}

void arrive(Warp& warp, const Op* op, std::uint32_t lanes, std::uint32_t number,
            std::uint32_t count, const BarrierForm& form) {
  RunningBlock& block = block_of(warp);
  const Instruction& instruction = instruction_of(warp, op);
  Barrier& barrier = block.barriers[number];
  if (barrier.instruction == nullptr) {
    barrier.instruction = &instruction;
    barrier.expected = count;
    barrier.lanes.resize(block.warps.size());
  } else if (count == 0 && is_other_call(warp, instruction, *barrier.instruction)) {
    barrier.is_mixed = true;
  } else if (count != barrier.expected) {
    end_kernel(warp, instruction, report::Kind::kBarrierDivergence,
               thread_name(warp, std::countr_zero(lanes)) + " comes to barrier " +
                   std::to_string(number) + " for " + std::to_string(count) +
                   " threads, others for " + std::to_string(barrier.expected),
               cudaErrorLaunchFailure);
  }
  barrier.lanes[warp.id] |= lanes;
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
  if (form.predicate.exists()) {
    const std::uint32_t predicate = warp.predicate(form.predicate.offset);
    barrier.votes += static_cast<std::uint32_t>(
        std::popcount((form.predicate.is_negated ? ~predicate : predicate) & lanes));
  }
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->arrives_at_barrier(warp, lanes, instruction);
  }
}

const Op* wait(Warp& warp, const Op* op, std::uint32_t lanes, std::uint32_t number) {
  RunningBlock& block = block_of(warp);
  Part& waiting = lanes == warp.lanes ? *warp.part : split(warp, op, lanes, op);
  waiting.waiting = Waiting::kBarrier;
  waiting.barrier = number;
  waiting.next = op;
  const bool goes_on = &waiting != warp.part;
  if (is_complete(block, block.barriers[number])) release(block, number);
  return goes_on ? op + 1 : nullptr;
}

const Op* block_barrier(Warp& warp, const Op* op, std::uint32_t lanes) {
  const BarrierForm& form = form_of(op);
  const int first = std::countr_zero(lanes);
  const std::uint32_t number =
      form.number.exists() ? warp.row32<std::uint32_t>(form.number.offset)[first] : 0;
  const std::uint32_t count =
      form.count.exists() ? warp.row32<std::uint32_t>(form.count.offset)[first] : 0;
  if (number >= kNumNamedBarriers) {
    end_kernel(warp, instruction_of(warp, op), report::Kind::kBarrierDivergence,
               thread_name(warp, first) + " uses barrier " + std::to_string(number) +
                   ", but a block has barriers 0 to 15",
               cudaErrorLaunchFailure);
  }
  arrive(warp, op, lanes, number, count, form);
  if (form.waits) return wait(warp, op, lanes, number);
  RunningBlock& block = block_of(warp);
  Barrier& barrier = block.barriers[number];
  barrier.passing.resize(block.warps.size());
  barrier.passing[warp.id] |= lanes;
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->releases(warp, lanes, Scope::kBlock, &barrier);
  }
  if (is_complete(block, barrier)) release(block, number);
  return op + 1;
}

// ---- of a cluster

// The blocks of a cluster start together.
std::vector<Block*> blocks_of_cluster(const RunningBlock& block) {
  const RunningLaunch& running = *block.warps.front()->engine->running;
  const std::uint64_t size = running.launch->cluster.count();
  std::vector<Block*> blocks;
  for (const auto& other : running.resident) {
    if (other->ordinal / size == block.ordinal / size) blocks.push_back(other.get());
  }
  return blocks;
}

template <class Visit>
void for_each_warp(const std::vector<Block*>& blocks, Visit visit) {
  for (const Block* const block : blocks) {
    for (const auto& warp : block->warps) {
      if (warp->live != 0) visit(*warp);
    }
  }
}

const Op* cluster_wait(Warp& warp, const Op* op, std::uint32_t lanes);

// Ends the phase if all threads of the cluster have arrived.
void release_cluster(RunningBlock& block) {
  const std::vector<Block*> blocks = blocks_of_cluster(block);
  bool is_complete = true, all_at_once = true, any = false;
  for_each_warp(blocks, [&](const Warp& warp) {
    is_complete = is_complete && (warp.live & ~warp.cluster.arrived) == 0;
    all_at_once = all_at_once && (warp.live & ~warp.cluster.at_once) == 0;
    any = any || warp.cluster.arrived != 0;
  });
  if (!is_complete || !any) return;
  Engine& engine = *block.warps.front()->engine;
  for (Monitor* const monitor : engine.monitors) {
    if (all_at_once) {
      monitor->cluster_meets(blocks);
      continue;
    }
    for_each_warp(blocks, [&](Warp& warp) {
      const std::uint32_t releasing = warp.live & warp.cluster.at_once;
      if (releasing != 0) monitor->releases(warp, releasing, Scope::kCluster, nullptr);
    });
    for (Block* const other : blocks) {
      const Instruction* const arrival = static_cast<RunningBlock*>(other)->cluster_arrival;
      if (arrival != nullptr)
        monitor->phase_completes(*other, *arrival, other->num_threads, nullptr);
    }
  }
  for_each_warp(blocks, [&](Warp& warp) {
    warp.cluster.met = all_at_once ? warp.cluster.waits : 0;
    warp.cluster.arrived = warp.cluster.at_once = 0;
    for (const auto& part : warp.parts) {  // they execute the wait again
      if (part->waiting == Waiting::kCluster) part->waiting = Waiting::kNothing;
    }
  });
  ++engine.changes;
}

const Op* cluster_arrive(Warp& warp, const Op* op, std::uint32_t lanes) {
  ClusterArrival& own = warp.cluster;
  const Instruction& instruction = instruction_of(warp, op);
  if (const std::uint32_t again = lanes & own.waits; again != 0) {
    end_kernel(warp, instruction, report::Kind::kBarrierDivergence,
               thread_name(warp, std::countr_zero(again)) +
                   " arrives at the cluster's barrier once more; it must wait there first",
               cudaErrorLaunchFailure);
  }
  own.arrived |= lanes;
  own.waits |= lanes;
  const Op& next = op[1];
  const bool is_at_once = next.handler == cluster_wait && next.guard == code::kNoGuard;
  const bool is_relaxed = instruction.has("relaxed");
  if (is_at_once && !is_relaxed) own.at_once |= lanes;
  block_of(warp).cluster_arrival = &instruction;
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->arrives_at_barrier(warp, lanes, instruction);
    if (!is_at_once && !is_relaxed) monitor->releases(warp, lanes, Scope::kCluster, nullptr);
  }
  release_cluster(block_of(warp));
  return op + 1;
}

const Op* cluster_wait(Warp& warp, const Op* op, std::uint32_t lanes) {
  ClusterArrival& own = warp.cluster;
  if (const std::uint32_t early = lanes & ~own.waits; early != 0) {
    end_kernel(warp, instruction_of(warp, op), report::Kind::kBarrierDivergence,
               thread_name(warp, std::countr_zero(early)) +
                   " waits at the cluster's barrier, but has not arrived there",
               cudaErrorLaunchFailure);
  }
  if ((lanes & own.arrived) != 0) {
    Part& waiting = lanes == warp.lanes ? *warp.part : split(warp, op, lanes, op);
    waiting.waiting = Waiting::kCluster;
    waiting.next = op;
    return &waiting == warp.part ? nullptr : op + 1;
  }
  const std::uint32_t acquiring = lanes & ~own.met;
  own.waits &= ~lanes;
  own.met &= ~lanes;
  if (acquiring == 0) return op + 1;
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->acquires(warp, acquiring, Scope::kCluster, nullptr);
  }
  return op + 1;
}

}  // namespace

void release_barriers(RunningBlock& block) {
  for (std::uint32_t number = 0; number < block.barriers.size(); ++number) {
    if (is_complete(block, block.barriers[number]) && block.live != 0) release(block, number);
  }
  if (block.cluster_arrival != nullptr || block.launch->cluster.count() > 1) release_cluster(block);
}

const Op* wait_for_grid(Warp& warp, const Op* op, std::uint32_t lanes) {
  Part& waiting = lanes == warp.lanes ? *warp.part : split(warp, op, lanes, op);
  waiting.waiting = Waiting::kGrid;
  waiting.next = op;
  block_of(warp).at_grid_barrier += static_cast<std::uint32_t>(std::popcount(lanes));
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->arrives_at_barrier(warp, lanes, instruction_of(warp, op));
  }
  return &waiting == warp.part ? nullptr : op + 1;
}

bool release_grid_barrier(RunningLaunch& running) {
  const auto all_there = [](const auto& block) { return block->at_grid_barrier == block->live; };
  if (running.num_ended != 0 || running.resident.size() != running.launch->grid.count())
    return false;
  if (!std::ranges::all_of(running.resident, all_there)) return false;
  Engine& engine = *running.resident.front()->warps.front()->engine;
  for (Monitor* const monitor : engine.monitors) monitor->grid_meets(*running.launch);
  for (const auto& block : running.resident) {
    block->at_grid_barrier = 0;
    for (const auto& warp : block->warps) {
      for (const auto& part : warp->parts) {
        if (part->waiting != Waiting::kGrid) continue;
        part->waiting = Waiting::kNothing;
        ++part->next;
      }
    }
  }
  ++engine.changes;
  return true;
}

code::Handler barrier_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode != "bar" && opcode != "barrier") return nullptr;
  if (instruction.has("warp")) return nullptr;
  const auto& operands = instruction.operands;
  if (instruction.has("cluster")) {
    return instruction.has("arrive") ? cluster_arrive : cluster_wait;
  }
  auto form = std::make_shared<BarrierForm>();
  std::size_t next = 0;
  if (instruction.has("red")) {
    form->vote = instruction.has("popc")  ? BarrierForm::Vote::kCount
                 : instruction.has("and") ? BarrierForm::Vote::kAnd
                                          : BarrierForm::Vote::kOr;
    form->result = operands.at(next++).slot;
    form->predicate = operands.back().slot;
  }
  form->waits = !instruction.has("arrive");
  const std::size_t end = operands.size() - (form->predicate.exists() ? 1 : 0);
  if (next < end) form->number = operands.at(next++).slot;
  if (next < end) form->count = operands.at(next++).slot;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return block_barrier;
}

// Tiles of 64 threads come first, then those of 128, and so on.
const Op* tile_sync(Warp& warp, const Op* op, std::uint32_t lanes) {
  static const BarrierForm plain;
  const MachineCall& call = call_of(op);
  const int first = std::countr_zero(lanes);
  const auto num_warps = std::max(argument<std::uint32_t>(warp, call, 0, first), 2U);
  const auto rank = argument<std::uint32_t>(warp, call, 1, first);
  const std::uint32_t number =
      kNumNamedBarriers + std::min(32 - 64 / num_warps + rank, kNumTileBarriers - 1);
  arrive(warp, op, lanes, number, argument<std::uint32_t>(warp, call, 2, first), plain);
  return wait(warp, op, lanes, number);
}

}  // namespace run
