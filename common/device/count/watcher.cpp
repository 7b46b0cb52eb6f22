// SPDX-License-Identifier: MIT
#include "count/watcher.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "count/request.h"

namespace count {
namespace {

using run::Access;
using run::Space;
using run::Warp;

// Of a launch's arguments: pointers, sizes and options take less, tables take more.
constexpr std::size_t kUsualArgumentBytes = 256;

// A look at what other threads may write, or a word for them.
bool communicates(const Access& access) {
  return !access.is_async && access.space == Space::kGlobal &&
         (access.order != run::Order::kWeak || access.bypasses_cache);
}

bool is_counted_space(const Access& access) {
  return access.space == Space::kGlobal || access.space == Space::kShared ||
         (access.space == Space::kConst && !has_one_address(access));
}

constexpr std::size_t kMaxAtomicBytes = 16;
using Value = std::array<std::uint64_t, 2>;

Value value_at(std::uint64_t address, std::size_t size) {
  const auto* const memory = reinterpret_cast<const std::byte*>(address);
  Value value = {};
  if (size == 4) {
    std::memcpy(&value, memory, 4);
  } else if (size == 8) {
    std::memcpy(&value, memory, 8);
  } else {
    std::memcpy(&value, memory, size);
  }
  return value;
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
  if (argument_bytes == 0) return;
  CounterSet& counters = kernel_->host_line({launch.host_file, launch.host_line});
  counters[Counter::kArgumentBytes] += argument_bytes;
  if (argument_bytes > kUsualArgumentBytes) counters[Counter::kHostBytes] += argument_bytes;
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
  const Counter first = first_counter(kind.space, kind.access);
  const std::uint64_t lanes = num_lanes(access.lanes);
  counters[first] += 1;
  counters[first + 3] += lanes;
  if (kind.space == MemorySpace::kGlobal) {
    const auto sectors = static_cast<std::uint32_t>(sectors_of(access));
    counters[first + 1] += sectors;
    counters[first + 2] += lanes * access.size_bytes;
    return sectors;
  }
  if (kind.access == AccessKind::kRead) {
    counters[Counter::kSharedReadBytes] += lanes * access.size_bytes;
  }
  const Wavefronts wavefronts = wavefronts_of(access);
  counters[first + 1] += static_cast<std::uint64_t>(wavefronts.total);
  counters[first + 2] += static_cast<std::uint64_t>(wavefronts.total - wavefronts.ideal);
  return static_cast<std::uint32_t>(wavefronts.total);
}

std::uint32_t Watcher::count_atomic(CounterSet& counters, const Access& access, RequestKind kind,
                                    BlockState& block) {
  const Counter first = first_counter(kind.space, kind.access);
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

// A thread's bulk copy comes in pieces. It is one request on each side, and one pass.
void Watcher::count_bulk(Warp& warp, Place& place, const Access& access) {
  const RequestKind kind = kind_of(access);
  const bool is_shared = kind.space == MemorySpace::kShared;
  const Counter first = first_counter(kind.space, kind.access);
  WarpState& own = state(warp);
  CounterSet& counters = place.counters;
  if (!access.continues) {
    counters[first] += 1;
    counters[first + 3] += 1;
    if (!is_shared) own.num_passes += 1;
  }
  const std::uint64_t units = new_units(access, is_shared ? kWavefrontBytes : kSectorBytes,
                                        own.bulk_units[is_shared ? 1 : 0]);
  counters[first + 1] += units;
  if (!is_shared) {
    counters[first + 2] += access.size_bytes;
    last_block_->num_sectors += units;
  } else if (kind.access == AccessKind::kRead) {
    counters[Counter::kSharedReadBytes] += access.size_bytes;
  }
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

namespace {

// Lanes at one address find and leave the same there: one of them stands for all.
std::uint32_t representatives(const Access& access) {
  return access.pattern == run::Pattern::kUniform ? access.lanes & -access.lanes : access.lanes;
}

}  // namespace

void Watcher::keep_old_values(const Access& access) {
  const auto size = std::min<std::size_t>(access.size_bytes, kMaxAtomicBytes);
  known_ = 0;
  for (std::uint32_t rest = representatives(access); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    // Without the checks it may lie outside: `run` ends the kernel then.
    if (!memory::is_device(address) || !memory::is_device(address + size - 1)) continue;
    old_values_[lane] = value_at(address, size);
    known_ |= rest & -rest;
  }
}

void Watcher::wrote(Warp& warp, const Access& access) {
  if (kernel_ == nullptr || !access.is_atomic || access.space != Space::kGlobal) return;
  const auto size = std::min<std::size_t>(access.size_bytes, kMaxAtomicBytes);
  std::uint32_t changed = 0;
  for (std::uint32_t rest = representatives(access) & known_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    if (value_at(access.address[lane], size) != old_values_[lane]) changed |= rest & -rest;
  }
  const bool is_uniform = access.pattern == run::Pattern::kUniform;
  if (is_uniform && changed != 0) changed = access.lanes;
  const std::uint32_t looking = is_uniform && known_ != 0 ? access.lanes : access.lanes & known_;
  known_ = 0;
  if (changed == 0 && publications_.empty()) return;
  Chains& chains = state(warp).chains;
  const std::uint64_t started_after = last_block_->started_after;
  std::uint64_t most = 0;
  for (std::uint32_t rest = looking; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    if ((changed >> lane & 1) == 0) {
      publications_.read(address, started_after, chains[lane]);
    } else {
      most = std::max(most, publications_.update(address, started_after, chains[lane]));
    }
  }
  if (most == 0) return;
  kernel_->place(*access.instruction).counters.raise(Counter::kPublicationsMaxChain, most);
}

}  // namespace count
