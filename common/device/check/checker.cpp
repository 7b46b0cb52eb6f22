// SPDX-License-Identifier: MIT
#include "check/checker.h"

#include <bit>
#include <utility>
#include <vector>

#include "check/block_state.h"
#include "check/bounds.h"
#include "check/copy_race.h"
#include "check/copy_unwritten.h"
#include "check/device_shadow.h"
#include "check/findings.h"
#include "check/granules.h"
#include "check/order.h"
#include "check/plain_poll.h"
#include "check/race_check.h"
#include "check/races.h"
#include "report/waiting_text.h"
#include "run/engine.h"

namespace check {
namespace {

std::uint32_t lowest(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

bool is_for_device(run::Scope scope) { return scope != run::Scope::kBlock; }

bool acquires(const run::Access& access) {
  return access.is_atomic || (access.reads && access.order != run::Order::kWeak) ||
         (access.reads && access.bypasses_cache);
}
bool releases(const run::Access& access) {
  return access.order == run::Order::kRelease || access.order == run::Order::kAcqRel;
}

}  // namespace

struct Checker::State {
  explicit State(Checks chosen)
      : checks(chosen),
        races(order, streams, instructions),
        race_check(order, races),
        copy_races(device, streams, instructions),
        polls(races),
        bounds(device, findings) {}

  Checks checks;
  Instructions instructions;
  Findings findings;
  StreamOrder streams;
  Order order;
  DeviceShadow device;
  Races races;
  RaceCheck race_check;
  CopyRaces copy_races;
  PlainPolls polls;
  Bounds bounds;
  std::vector<std::unique_ptr<BlockState>> blocks;  // by slot
  bool copies_may_run = false;
  bool launch_is_in_cluster = false;
  bool follows_ways = false;  // the kernel has barriers

  BlockState& of(const run::Block& block) { return *blocks[block.slot]; }

  template <class Visit>
  void for_each_resident(Visit visit) {
    for (const auto& block : blocks) {
      if (block != nullptr && block->block != nullptr) visit(*block);
    }
  }

  RaceCheck::Target target_of(const run::Access& access, const BlockState& block) const;
  bool is_settled(const run::Access& access, const BlockState& block,
                  const RaceCheck::Target& target) const;
  bool check_scattered(const BlockState& block, const run::Warp& warp, const run::Access& access,
                       const RaceCheck::Target& target) const;
  void check_global(BlockState& block, run::Warp& warp, run::Access& access);
  void check_shared(BlockState& block, run::Warp& warp, run::Access& access);
  void require_shared(BlockState& block, run::Warp& warp, run::Access& access);
};

Checker::Checker(Checks checks) : state_(std::make_unique<State>(checks)) {
  memory::reserve();
  memory::set_observer(this);
  for (const memory::Allocation* const allocation : memory::live_allocations()) {
    state_->device.begin(*allocation, true);
  }
}

Checker::~Checker() {
  if (memory::observer() == this) memory::set_observer(nullptr);
}

void Checker::set_checks(Checks checks) { state_->checks = checks; }
StreamOrder& Checker::streams() { return state_->streams; }

void Checker::host_accesses(const HostAccess& access) {
  if (state_->checks != Checks::kAll) return;
  state_->copy_races.check_host(
      {access.address, access.size_bytes, access.writes, access.is_volatile, place_of(access.at)});
}

bool Checker::has_races(const std::string& kernel) const { return state_->races.has_races(kernel); }
void Checker::forget_races() { state_->races.forget_kernels(); }

void Checker::note_failed_allocation(const memory::HostPlace& at) {
  state_->bounds.set_failed_allocation(place_of(at));
}

void Checker::launch_begins(run::Launch& launch) {
  State& s = *state_;
  if (s.order.are_ordinals_scarce()) {  // start again, with nothing remembered
    s.device.forget_all();
    s.order.restart_ordinals();
    s.streams.host_waits_for_all();
  }
  if (Work* const work = s.streams.current_work()) {
    work->kernel = launch.kernel->readable;
    work->program = launch.program;
    work->first_block = work->end_block = s.order.next_ordinal();
  }
  s.copies_may_run = s.streams.has_concurrent_copies();
  s.order.begin_launch(s.streams.first_concurrent_block(s.order.next_ordinal()));
  s.launch_is_in_cluster = launch.cluster.count() > 1;
  s.findings.begin_launch();
  s.races.begin_launch();
  s.copy_races.begin_launch();
  s.polls.begin_launch();
  s.follows_ways = may_meet_barriers(*launch.program, *launch.kernel);
  s.bounds.begin_launch(launch);
}

void Checker::launch_ends(run::Launch&) {
  State& s = *state_;
  s.for_each_resident([](BlockState& block) { block.block = nullptr; });  // after a fault
  if (Work* const work = s.streams.current_work()) work->end_block = s.order.next_ordinal();
  s.copies_may_run = false;
}

void Checker::block_starts(run::Block& block) {
  State& s = *state_;
  if (s.blocks.size() <= block.slot) s.blocks.resize(block.slot + 1);
  std::unique_ptr<BlockState>& slot = s.blocks[block.slot];
  if (slot == nullptr) slot = std::make_unique<BlockState>();
  slot->block = &block;
  slot->last_barrier = nullptr;
  slot->order.is_in_cluster = s.launch_is_in_cluster;
  s.order.start_block(slot->order, block.warps.size());
  slot->shared.reset(block.shared_bytes, s.launch_is_in_cluster);
  slot->copies.clear();
  if (s.follows_ways) slot->paths.begin(block);
}

void Checker::block_ends(run::Block& block) { state_->of(block).block = nullptr; }

// Whether the access is to one word of each lane, plain or not, in one space that has a shadow.
bool is_of_words(const run::Access& access) {
  return access.size_bytes >= kWordBytes && access.size_bytes <= 16 &&
         std::has_single_bit(access.size_bytes) &&
         (access.space == run::Space::kGlobal || access.space == run::Space::kShared);
}

RaceCheck::Target Checker::State::target_of(const run::Access& access,
                                            const BlockState& block) const {
  if (access.space != run::Space::kShared) {
    return {&device.shadow(), memory::kDeviceRangeBytes,
            reinterpret_cast<const std::byte*>(memory::kDeviceBase), false};
  }
  const BlockState& owner = access.remote == nullptr ? block : *blocks[access.remote->slot];
  return {&owner.shared.shadow(), owner.shared.size_bytes(), owner.block->shared, true};
}

// Whether the access needs no check beyond a look at digests: most reads.
bool Checker::State::is_settled(const run::Access& access, const BlockState& block,
                                const RaceCheck::Target& target) const {
  const bool is_plain = access.reads && !access.writes && access.order == run::Order::kWeak &&
                        !access.bypasses_cache && !access.is_async;
  if (!is_plain || access.size_bytes != kWordBytes) return false;
  const Shadow& shadow = *target.shadow;
  const std::uint64_t offset = access.base - shadow.base;
  if (offset % kWordBytes != 0 || offset >= target.size_bytes) return false;
  const std::uint64_t granule = offset / kGranuleBytes;
  const std::uint32_t word = Shadow::word_of(offset);
  const auto is_known = [&](std::uint64_t number, std::uint32_t words) {
    return race_check.is_settled(block.order, shadow.digests[skewed(number)], words,
                                 target.is_shared);
  };
  if (access.pattern == run::Pattern::kUniform) return is_known(granule, 1u << word);
  if (!is_known(granule, access.lanes << word)) return false;
  const std::uint32_t rest = word == 0 ? 0 : access.lanes >> (kGranuleWords - word);
  return rest == 0 ||
         ((granule + 1) * kGranuleBytes < target.size_bytes && is_known(granule + 1, rest));
}

// An access to several granules. Returns false if that is for the other checks to do.
bool Checker::State::check_scattered(const BlockState& block, const run::Warp& warp,
                                     const run::Access& access,
                                     const RaceCheck::Target& target) const {
  const Shadow& shadow = *target.shadow;
  Groups groups;
  const std::uint32_t num_groups = find_granules(
      access.address, access.lanes, {shadow.base, target.size_bytes}, access.size_bytes, groups);
  if (num_groups == 0) return false;
  const bool is_plain_read =
      !access.writes && access.order == run::Order::kWeak && !access.bypasses_cache;
  std::uint32_t num_open = 0;
  bool all_written = true;
  for (std::uint32_t i = 0; i < num_groups; ++i) {
    const Digest& digest = shadow.digests[skewed(groups[i].granule)];
    all_written &= digest.is_written != 0;
    if (is_plain_read &&
        race_check.is_settled(block.order, digest, groups[i].words, target.is_shared)) {
      continue;
    }
    groups[num_open++] = groups[i];
  }
  if (!all_written) return false;
  if (num_open != 0) race_check.check(block, warp, access, target, {groups.data(), num_open});
  return true;
}

void Checker::State::check_global(BlockState& block, run::Warp& warp, run::Access& access) {
  if (checks == Checks::kNone) return bounds.require_memory(warp, access);
  bounds.check_alignment(warp, access);
  if (access.space == run::Space::kConst) return bounds.check_constant(warp, access);
  bounds.check_global(warp, access);
  if (checks != Checks::kAll || access.lanes == 0) return;
  if (copies_may_run) copy_races.check(warp, access);
  race_check.check(block, warp, access, target_of(access, block));
}

void Checker::State::require_shared(BlockState& block, run::Warp& warp, run::Access& access) {
  const std::uint64_t room = block.shared.size_bytes();
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t offset = access.address[lowest(rest)];
    if (offset < room && access.size_bytes <= room - offset) continue;
    return bounds.check_shared(warp, block, access);
  }
}

void Checker::State::check_shared(BlockState& block, run::Warp& warp, run::Access& access) {
  BlockState& owner = access.remote == nullptr ? block : of(*access.remote);
  if (checks == Checks::kNone) return require_shared(owner, warp, access);
  bounds.check_alignment(warp, access);
  bounds.check_shared(warp, owner, access);
  if (checks != Checks::kAll || access.lanes == 0) return;
  race_check.check(block, warp, access, target_of(access, block));
}

void Checker::access(run::Warp& warp, run::Access& access) {
  State& s = *state_;
  if (access.lanes == 0) return;
  BlockState& block = s.of(*warp.block);
  if (s.polls.is_watching() && s.checks == Checks::kAll) {
    s.polls.look(block, warp, access, s.target_of(access, block));
  }
  const bool is_simple =
      is_of_words(access) && s.checks == Checks::kAll && !s.copies_may_run && !access.is_async;
  if (is_simple && access.pattern != run::Pattern::kOther &&
      s.is_settled(access, block, s.target_of(access, block))) {
    return;
  }
  if (access.space == run::Space::kParam) return;
  if (access.space == run::Space::kLocal) {
    if (access.owner != nullptr) s.bounds.check_local(warp, access);
    return;
  }
  if (access.order != run::Order::kWeak || access.is_atomic || access.bypasses_cache) {
    if (check::releases(access)) {
      s.order.release(block.order, warp.id, access.lanes, is_for_device(access.scope));
    }
    if (check::acquires(access)) s.order.acquire(block.order, warp.id, access.lanes);
  }
  if (is_simple && access.pattern == run::Pattern::kOther &&
      s.check_scattered(block, warp, access, s.target_of(access, block))) {
    return;
  }
  if (access.space == run::Space::kShared) {
    s.check_shared(block, warp, access);
  } else {
    s.check_global(block, warp, access);
  }
}

void Checker::uses_unwritten(run::Warp& warp, const run::Access& read, std::uint32_t element,
                             std::uint32_t lanes) {
  if (state_->checks != Checks::kNone) state_->bounds.report_use(warp, read, element, lanes);
}

void Checker::block_meets(run::Block& block, const code::Instruction& barrier) {
  BlockState& own = state_->of(block);
  if (state_->follows_ways) {
    const BlockMap map(*block.launch->program);
    if (const auto bypass = own.paths.meet(block, map, barrier)) {
      const run::Launch& launch = *block.launch;
      report_at(
          report::Kind::kBarrierDivergence, launch, barrier,
          report::skipped_barrier_text(thread_id(block, bypass->thread), place_of(launch, barrier),
                                       place_of(launch, *bypass->deed)));
    }
  }
  own.last_barrier = &barrier;
  state_->order.block_meets(own.order);
}

void Checker::threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                           const code::Instruction&) {
  state_->order.threads_meet(state_->of(block).order, lanes_by_warp);
}

void Checker::lanes_meet(run::Warp& warp, std::uint32_t lanes, const code::Instruction&) {
  state_->order.lanes_meet(state_->of(*warp.block).order, warp.id, lanes, warp.live);
}

void Checker::grid_meets(run::Launch&) {
  state_->order.grid_meets();
  state_->for_each_resident([&](BlockState& block) { state_->order.grid_meets(block.order); });
}

void Checker::cluster_meets(std::span<run::Block* const> blocks) {
  std::vector<BlockOrder*> orders;
  for (const run::Block* const block : blocks) orders.push_back(&state_->of(*block).order);
  state_->order.cluster_meets(orders);
}

// A fence acquires nothing: the atomic or volatile read before it has done so already.
void Checker::fence(run::Warp& warp, std::uint32_t lanes, run::Scope scope) {
  state_->polls.fence(warp);
  releases(warp, lanes, scope);
}

void Checker::releases(run::Warp& warp, std::uint32_t lanes, run::Scope scope) {
  state_->order.release(state_->of(*warp.block).order, warp.id, lanes, is_for_device(scope));
}

void Checker::acquires(run::Warp& warp, std::uint32_t lanes, run::Scope) {
  state_->order.acquire(state_->of(*warp.block).order, warp.id, lanes);
}

namespace {

template <class Visit>
void for_each_copy(const run::Warp& warp, const run::Access& destination, Visit visit) {
  for (std::uint32_t rest = destination.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    visit(AsyncCopies::Copy{warp.thread_id(static_cast<int>(lane)), destination.address[lane],
                            destination.size_bytes, destination.instruction, 0});
  }
}

}  // namespace

void Checker::copy_begins(run::Warp& warp, const run::Access& destination) {
  if (destination.space != run::Space::kShared) return;
  BlockState& block = state_->of(*warp.block);
  for_each_copy(warp, destination,
                [&](const AsyncCopies::Copy& copy) { block.copies.begin(copy, block.shared); });
}

void Checker::copy_arrives(run::Warp& warp, const run::Access& destination) {
  if (destination.space != run::Space::kShared) return;
  BlockState& block = state_->of(*warp.block);
  for_each_copy(warp, destination,
                [&](const AsyncCopies::Copy& copy) { block.copies.arrive(copy, block.shared); });
}

void Checker::copies_committed(run::Warp& warp, std::uint32_t lanes) {
  BlockState& block = state_->of(*warp.block);
  for (; lanes != 0; lanes &= lanes - 1) {
    block.copies.commit(warp.thread_id(std::countr_zero(lanes)));
  }
}

void Checker::copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) {
  BlockState& block = state_->of(*warp.block);
  for (; lanes != 0; lanes &= lanes - 1) {
    block.copies.wait(warp.thread_id(std::countr_zero(lanes)), num_left);
  }
}

void Checker::enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) {
  State& s = *state_;
  if (warp.engine != nullptr) {
    s.polls.enter(warp, warp.engine->changes, warp.engine->switches);
  }
  if (s.follows_ways) s.of(*warp.block).paths.enter(warp, block, lanes);
}

void Checker::on_allocate(const memory::Allocation& allocation, bool initialised) {
  if (!memory::is_device(allocation.base)) return;
  state_->device.begin(allocation, initialised);
  state_->copy_races.note_allocated(allocation);
}

void Checker::on_release(const memory::Allocation& allocation) {
  if (!memory::is_device(allocation.base)) return;
  state_->copy_races.note_freed(allocation);
  state_->device.end(allocation);
}

void Checker::on_write(std::uint64_t address, std::uint64_t size_bytes) {
  if (!memory::is_device(address) || size_bytes == 0) return;
  state_->copy_races.note_copied(address, size_bytes, true);
  state_->device.set_written(address, size_bytes);
}

void Checker::on_read(std::uint64_t address, std::uint64_t size_bytes) {
  if (!memory::is_device(address) || size_bytes == 0) return;
  state_->copy_races.note_copied(address, size_bytes, false);
  if (state_->checks == Checks::kNone) return;
  const Work* const work = state_->streams.current_work();
  check_copy_to_host(state_->device.flags(), address, size_bytes,
                     work == nullptr ? memory::HostPlace{} : work->issued_at);
}

void Checker::on_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) {
  if (size_bytes == 0) return;
  if (memory::is_device(from)) state_->copy_races.note_copied(from, size_bytes, false);
  if (!memory::is_device(to)) return;
  state_->copy_races.note_copied(to, size_bytes, true);
  const memory::Allocation* const source = memory::find(from);
  const bool is_known = memory::is_device(from) && source != nullptr &&
                        source->kind != memory::Allocation::Kind::kConstant;
  if (is_known) {
    state_->device.copy_written(to, from, size_bytes);
  } else {
    state_->device.set_written(to, size_bytes);
  }
}

}  // namespace check
