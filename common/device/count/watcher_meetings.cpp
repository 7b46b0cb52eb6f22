// SPDX-License-Identifier: MIT
// Watcher: where threads meet, control flow, and copies.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "count/branches.h"
#include "count/request.h"
#include "count/watcher.h"

namespace count {

using code::Instruction;
using run::Access;
using run::Warp;

// ---- meetings

void Watcher::count_barrier(BlockState& block, const Instruction& instruction) {
  CounterSet& counters = kernel_->place(instruction).counters;
  counters[Counter::kBarriers] += 1;
  counters.raise(Counter::kBarriersMaxPerBlock, ++block.num_barriers);
}

namespace {

// The threads of the block have met: each knows what one of them knows. Lanes that have ended or do
// not exist know nothing.
void share_longest(BlockState& block) {
  std::uint64_t most = 0;
  for (const WarpState& warp : block.warps) most = std::max(most, longest(warp.chains, ~0U));
  if (most == 0) return;
  for (WarpState& warp : block.warps) share(warp.chains, ~0U, most);
}

}  // namespace

void Watcher::block_meets(run::Block& block, const Instruction& instruction) {
  if (kernel_ == nullptr) return;
  BlockState& own = states_[block.slot];
  count_barrier(own, instruction);
  share_longest(own);
}

void Watcher::threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                           const Instruction& instruction, const void* /*barrier*/) {
  if (kernel_ == nullptr) return;
  BlockState& own = states_[block.slot];
  count_barrier(own, instruction);
  const std::size_t num_warps = std::min(own.warps.size(), lanes_by_warp.size());
  std::uint64_t most = 0;
  for (std::size_t w = 0; w < num_warps; ++w) {
    most = std::max(most, longest(own.warps[w].chains, lanes_by_warp[w]));
  }
  for (std::size_t w = 0; w < num_warps; ++w) share(own.warps[w].chains, lanes_by_warp[w], most);
}

void Watcher::arrives_at_barrier(Warp& warp, std::uint32_t /*lanes*/,
                                 const Instruction& instruction) {
  if (kernel_ != nullptr) block_state(warp).last_barrier = &instruction;
}

// A barrier of several blocks counts in each of them. The block that comes last is no different.
void Watcher::count_last_barrier(BlockState& block) {
  if (!block.is_resident || block.last_barrier == nullptr) return;
  count_barrier(block, *block.last_barrier);
  share_longest(block);
}

void Watcher::grid_meets(run::Launch& /*launch*/) {
  if (kernel_ == nullptr) return;
  for (BlockState& block : states_) count_last_barrier(block);
}

void Watcher::cluster_meets(std::span<run::Block* const> blocks) {
  if (kernel_ == nullptr) return;
  for (const run::Block* const block : blocks) count_last_barrier(states_[block->slot]);
}

void Watcher::count_barrier_object(Warp& warp, Place& place, const Access& access) {
  BlockState& block = block_state(warp);
  for (std::uint32_t rest = access.lanes; rest != 0;) {
    const std::uint64_t object = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    std::uint32_t same = 0;
    for (std::uint32_t others = rest; others != 0; others &= others - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(others));
      if (access.address[lane] == object) same |= others & -others;
    }
    block.arrivals.add(object, place, static_cast<std::uint32_t>(std::popcount(same)));
    rest &= ~same;
  }
}

void Watcher::count_arrivals(BlockState& block, const Arrivals::Group& group) {
  block.num_atomics += group.num_lanes;
  group.place->counters[Counter::kSharedAtomicLanes] += group.num_lanes;
  group.place->counters.raise(Counter::kAtomicsMaxPerBlock, block.num_atomics);
}

// A phase for more threads than a warp has, or for the whole block, is a barrier.
void Watcher::phase_completes(run::Block& block, const Instruction& instruction,
                              std::uint32_t expected, const void* /*barrier*/) {
  if (kernel_ == nullptr) return;
  BlockState& own = states_[block.slot];
  const bool is_barrier = expected > run::kWarpSize || expected >= own.num_threads;
  own.arrivals.take_phase([&](const Arrivals::Group& group) {
    if (!is_barrier) count_arrivals(own, group);
  });
  if (!is_barrier) return;
  count_barrier(own, instruction);
  share_longest(own);
}

void Watcher::warp_operation(Warp& warp, std::uint32_t lanes, const Instruction& instruction) {
  if (kernel_ == nullptr) return;
  Place& place = kernel_->place(instruction);
  if (place.role == Role::kActiveMask) return;
  WarpState& own = state(warp);
  place.counters[Counter::kWarpOperations] += 1;
  own.num_passes += 1;
  if (publications_.empty()) return;
  share(own.chains, lanes, longest(own.chains, lanes));
}

void Watcher::multiplies(Warp& /*warp*/, const Instruction& instruction,
                         std::uint64_t multiply_adds) {
  if (kernel_ == nullptr) return;
  CounterSet& counters = kernel_->place(instruction).counters;
  counters[Counter::kMatrixInstructions] += 1;
  counters[Counter::kMatrixMultiplyAdds] += multiply_adds;
}

// ---- asynchronous copies

void Watcher::copy_begins(Warp& warp, const Access& destination) {
  if (kernel_ == nullptr) return;
  WarpState& own = state(warp);
  const std::uint32_t lanes = std::exchange(own.reading, 0) & destination.lanes;
  if (lanes == 0) return;
  Place& place = kernel_->place(*destination.instruction);
  place.counters[Counter::kCopiesToShared] += num_lanes(lanes);
  own.copies.begin(place, lanes);
}

void Watcher::copies_committed(Warp& warp, std::uint32_t lanes) {
  if (kernel_ != nullptr) state(warp).copies.commit(lanes);
}

void Watcher::copies_waited(Warp& warp, std::uint32_t lanes, std::uint32_t num_left) {
  if (kernel_ != nullptr) state(warp).copies.wait(lanes, num_left);
}

// ---- control flow

void Watcher::enters_block(Warp& warp, const code::Block& block, std::uint32_t lanes) {
  if (kernel_ == nullptr) return;
  const code::Function& function = *warp.part->frames.back().function;
  CounterSet& counters = kernel_->place(function.instructions[block.begin]).counters;
  counters[Counter::kBasicBlocks] += 1;
  counters[Counter::kActiveLanes] += num_lanes(lanes);
}

void Watcher::diverges(Warp& warp, const Instruction& instruction, std::uint32_t /*taken*/,
                       std::uint32_t /*not_taken*/) {
  if (kernel_ == nullptr) return;
  Place& place = kernel_->place(instruction);
  if (place.branch == Place::Branch::kUnknown) {
    const bool counts =
        is_branch(*kernel_->program, *warp.part->frames.back().function, instruction);
    place.branch = counts ? Place::Branch::kCounts : Place::Branch::kDoesNot;
  }
  if (place.branch == Place::Branch::kCounts) place.counters[Counter::kDivergentBranches] += 1;
}

// ---- what the host does

void Watcher::host_does(const memory::HostPlace& at, Counter counter, std::uint64_t number) {
  if (!is_counting_) return;
  CounterSet& here = tallies_.kernel("host", nullptr).host_line(at);
  if (is_maximum(counter)) {
    here.raise(counter, number);
  } else {
    here[counter] += number;
  }
}

void Watcher::copy(const memory::HostPlace& at, std::uint64_t to, std::uint64_t from,
                   std::uint64_t size_bytes) {
  if (!is_counting_ || size_bytes == 0) return;
  const auto is_pinned = [](std::uint64_t address) {
    const memory::Allocation* const found = memory::find(address);
    return found != nullptr && found->kind == memory::Allocation::Kind::kPinnedHost;
  };
  if (to != 0 && is_pinned(to)) to = 0;
  if (from != 0 && is_pinned(from)) from = 0;
  if (to == 0 && from == 0) return;
  KernelTally& copies = tallies_.kernel("cudaMemcpy", nullptr);
  CounterSet& here = copies.host_line(at);
  // As the requests of warps whose lanes move one word each.
  const auto count_row = [&](Counter first, std::uint64_t address) {
    constexpr std::uint64_t kWordBytes = 4;
    const std::uint64_t lanes = (size_bytes + kWordBytes - 1) / kWordBytes;
    here[first] += (lanes + run::kWarpSize - 1) / run::kWarpSize;
    here[first + 1] += (address + size_bytes - 1) / kSectorBytes - address / kSectorBytes + 1;
    here[first + 2] += size_bytes;
    here[first + 3] += lanes;
  };
  if (from != 0) count_row(Counter::kGlobalReadRequests, from);
  if (to != 0) count_row(Counter::kGlobalWriteRequests, to);
  if (to == 0 || from == 0) {
    here[Counter::kHostBytes] += size_bytes;
    return;
  }
  for (const std::uint64_t address : {to, from}) {
    if (is_hosts_too(address)) copies.expose_range(at, address, size_bytes);
  }
}

}  // namespace count
