// SPDX-License-Identifier: MIT
#include "count/watcher.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "count/branches.h"
#include "count/request.h"

namespace count {
namespace {

using code::Instruction;
using run::Access;
using run::Space;
using run::Warp;

// Of a launch's arguments: pointers, sizes and options take less, tables take more.
constexpr std::size_t kUsualArgumentBytes = 256;

std::uint64_t num_lanes(std::uint32_t lanes) {
  return static_cast<std::uint64_t>(std::popcount(lanes));
}

// Where a space's and an access's counters begin; they come in groups of four.
constexpr Counter first_counter(RequestKind kind) {
  const bool is_shared = kind.space == MemorySpace::kShared;
  switch (kind.access) {
    case AccessKind::kAtomic:
      return is_shared ? Counter::kSharedAtomicRequests : Counter::kGlobalAtomicRequests;
    case AccessKind::kWrite:
      return is_shared ? Counter::kSharedWriteRequests : Counter::kGlobalWriteRequests;
    default:
      return is_shared ? Counter::kSharedReadRequests : Counter::kGlobalReadRequests;
  }
}

// A look at what other threads may write, or a word for them.
bool communicates(const Access& access) {
  return !access.is_async && access.space == Space::kGlobal &&
         (access.order != run::Order::kWeak || access.bypasses_cache);
}

bool is_counted_space(const Access& access) {
  return access.space == Space::kGlobal || access.space == Space::kShared ||
         (access.space == Space::kConst && !has_one_address(access));
}

}  // namespace

// ---- launches and blocks

std::vector<KernelCounters> Watcher::take(const HasHostUsed& has_host_used) {
  return tallies_.take(has_host_used);
}

void Watcher::launch_begins(run::Launch& launch) {
  kernel_ = nullptr;
  last_warp_ = nullptr;
  if (!is_counting_) return;
  kernel_ = &tallies_.kernel(launch.kernel->readable, launch.program);
  kernel_->begin_launch(launch);
  exposure_.begin_launch();
  publications_.begin_launch();
  most_sectors_ = most_passes_ = 0;
  const std::uint64_t argument_bytes = launch.kernel->parameter_bytes;
  if (argument_bytes <= kUsualArgumentBytes) return;
  const memory::HostPlace at = {launch.host_file, launch.host_line};
  kernel_->host_line(at)[Counter::kHostBytes] += argument_bytes;
}

void Watcher::launch_ends(run::Launch& /*launch*/) {
  if (kernel_ == nullptr) return;
  for (BlockState& block : states_) end_block(block);  // a fault may have ended the kernel
  kernel_->totals.counters[Counter::kBusiestBlocksSectors] += most_sectors_;
  kernel_->totals.counters[Counter::kBusiestWarpsPasses] += most_passes_;
  kernel_ = nullptr;
}

void Watcher::block_starts(run::Block& block) {
  if (kernel_ == nullptr) return;
  if (states_.size() <= block.slot) states_.resize(block.slot + 1);
  states_[block.slot].start(block.warps.size(), block.num_threads, publications_.num_made());
  last_warp_ = nullptr;
}

void Watcher::block_ends(run::Block& block) {
  if (kernel_ != nullptr) end_block(states_[block.slot]);
}

void Watcher::end_block(BlockState& block) {
  if (!block.is_resident) return;
  block.is_resident = false;
  block.arrivals.take_all([&](const Arrivals::Group& group) { count_arrivals(block, group); });
  most_sectors_ = std::max(most_sectors_, block.num_sectors);
  for (const WarpState& warp : block.warps) most_passes_ = std::max(most_passes_, warp.num_passes);
}

// ---- accesses

void Watcher::access(Warp& warp, Access& access) {
  if (kernel_ == nullptr || access.lanes == 0 || !is_counted_space(access)) return;
  Place& place = kernel_->place(*access.instruction);
  if (place.role != Role::kUsual) {
    if (place.role == Role::kBulkCopy) count_bulk(warp, place, access);
    if (place.role == Role::kArrival) count_barrier_object(warp, place, access);
    if (place.role != Role::kBulkCopy) return;
  } else {
    const RequestKind kind = kind_of(access);
    WarpState& own = state(warp);
    BlockState& block = *last_block_;
    const std::uint32_t cost = kind.access == AccessKind::kAtomic
                                   ? count_atomic(place.counters, access, kind, block)
                                   : count_plain(place.counters, access, kind);
    place.keep_pattern(warp, access, kind, cost);
    if (access.is_async && access.reads) own.reading = access.lanes;
    const bool looks = communicates(access);
    const bool polls = looks && kind.access == AccessKind::kRead;
    // How often a warp asks again until a word has changed depends on the order of execution.
    const bool begins_poll = polls && own.polls.begin(access);
    if (begins_poll) place.counters.raise(Counter::kPollsMaxPerWarp, own.polls.number());
    if (!polls || begins_poll) own.num_passes += static_cast<std::uint64_t>(passes_of(access));
    if (kind.space == MemorySpace::kShared) return;
    block.num_sectors += cost;
    if (looks) count_look(warp, place, access);
    if (kind.access == AccessKind::kAtomic) keep_old_values(access);
  }
  if (access.space == Space::kGlobal && exposure_.may_expose(access)) {
    exposure_.count(access, *kernel_, place);
  }
}

// Counts the request and returns its sectors or wavefronts.
std::uint32_t Watcher::count_plain(CounterSet& counters, const Access& access, RequestKind kind) {
  const Counter first = first_counter(kind);
  const std::uint64_t lanes = num_lanes(access.lanes);
  counters[first] += 1;
  counters[first + 3] += lanes;
  if (kind.space == MemorySpace::kGlobal) {
    const auto sectors = static_cast<std::uint32_t>(sectors_of(access));
    counters[first + 1] += sectors;
    counters[first + 2] += lanes * access.size_bytes;
    return sectors;
  }
  const Wavefronts wavefronts = wavefronts_of(access);
  counters[first + 1] += static_cast<std::uint64_t>(wavefronts.total);
  counters[first + 2] += static_cast<std::uint64_t>(wavefronts.total - wavefronts.ideal);
  return static_cast<std::uint32_t>(wavefronts.total);
}

std::uint32_t Watcher::count_atomic(CounterSet& counters, const Access& access, RequestKind kind,
                                    BlockState& block) {
  const Counter first = first_counter(kind);
  const std::uint64_t lanes = num_lanes(access.lanes);
  const int same_address = largest_multiplicity(access);
  counters[first] += 1;
  counters[first + 1] += lanes;
  counters.raise(first + 2, static_cast<std::uint64_t>(same_address));
  block.num_atomics += lanes;
  counters.raise(Counter::kAtomicsMaxPerBlock, block.num_atomics);
  if (kind.space == MemorySpace::kGlobal) {
    const auto sectors = static_cast<std::uint32_t>(sectors_of(access));
    counters[first + 3] += sectors;
    return sectors;
  }
  const Wavefronts wavefronts = wavefronts_of(access);
  const int passes = std::max(same_address, wavefronts.total);
  counters[first + 3] += static_cast<std::uint64_t>(passes - wavefronts.ideal);
  return static_cast<std::uint32_t>(passes);
}

// A thread's bulk copy comes in pieces of 16 bytes. It is one request on each side, and one pass.
void Watcher::count_bulk(Warp& warp, Place& place, const Access& access) {
  constexpr std::uint64_t kWavefrontBytes = 128;
  const RequestKind kind = kind_of(access);
  const bool is_shared = kind.space == MemorySpace::kShared;
  const Counter first = first_counter(kind);
  WarpState& own = state(warp);
  CounterSet& counters = place.counters;
  const std::uint64_t address =
      access.address[static_cast<std::size_t>(std::countr_zero(access.lanes))];
  std::uint64_t& next = own.bulk_next[is_shared ? 1 : 0];
  const bool begins = own.bulk != access.instruction || next != address;
  if (begins) {
    counters[first] += 1;
    counters[first + 3] += 1;
    if (!is_shared) own.num_passes += 1;
  }
  const bool begins_unit = begins || address % (is_shared ? kWavefrontBytes : kSectorBytes) == 0;
  if (begins_unit) counters[first + 1] += 1;
  if (!is_shared) {
    counters[first + 2] += access.size_bytes;
    last_block_->num_sectors += begins_unit ? 1 : 0;
  }
  own.bulk = access.instruction;
  next = address + access.size_bytes;
}

// ---- polls and publications

// Before the access happens; atomic operations publish afterwards, see wrote().
void Watcher::count_look(Warp& warp, Place& place, const Access& access) {
  if (access.is_atomic) return;
  WarpState& own = state(warp);
  const std::uint64_t started_after = last_block_->started_after;
  if (access.reads && publications_.empty()) return;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    if (access.reads) {
      publications_.read(address, started_after, own.chains[lane]);
    } else {
      place.counters.raise(Counter::kPublicationsMaxChain,
                           publications_.publish(address, own.chains[lane]));
    }
  }
}

void Watcher::keep_old_values(const Access& access) {
  known_ = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    const std::size_t size = std::min<std::size_t>(access.size_bytes, sizeof(Value));
    // Without the checks it may lie outside: `run` ends the kernel then.
    if (!memory::is_device(address) || !memory::is_device(address + size - 1)) continue;
    old_values_[lane] = {};
    std::memcpy(&old_values_[lane], reinterpret_cast<const void*>(address), size);
    known_ |= rest & -rest;
  }
}

void Watcher::wrote(Warp& warp, const Access& access) {
  if (kernel_ == nullptr || !access.is_atomic || access.space != Space::kGlobal) return;
  Place& place = kernel_->place(*access.instruction);
  WarpState& own = state(warp);
  const std::uint64_t started_after = last_block_->started_after;
  for (std::uint32_t rest = access.lanes & known_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    Value now = {};
    std::memcpy(&now, reinterpret_cast<const void*>(address),
                std::min<std::size_t>(access.size_bytes, sizeof now));
    if (now == old_values_[lane]) {
      publications_.read(address, started_after, own.chains[lane]);
    } else {
      place.counters.raise(Counter::kPublicationsMaxChain,
                           publications_.update(address, started_after, own.chains[lane]));
    }
  }
  known_ = 0;
}

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
                           const Instruction& instruction) {
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
                              std::uint32_t expected) {
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

// ---- copies of the host

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
  // What is read may come from the host, unless it is a variable of the device's.
  for (const std::uint64_t address : {to, from}) {
    const std::optional<Counter> counter = exposing_counter(address);
    if (counter == Counter::kHostBytes) {
      copies.expose_range(at, address, size_bytes);
    } else if (counter && address == to) {
      here[*counter] += size_bytes;
    }
  }
}

}  // namespace count
