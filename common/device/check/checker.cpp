// SPDX-License-Identifier: MIT
#include "check/checker.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/access_check.h"
#include "check/block_state.h"
#include "check/bounds.h"
#include "check/bulk_stores.h"
#include "check/copy_race.h"
#include "check/copy_unwritten.h"
#include "check/device_shadow.h"
#include "check/findings.h"
#include "check/lanes.h"
#include "check/order.h"
#include "check/plain_poll.h"
#include "check/races.h"
#include "check/shared_layout.h"
#include "report/image_text.h"
#include "report/waiting_text.h"
#include "run/engine.h"

namespace check {
namespace {

bool is_for_device(run::Scope scope) { return scope != run::Scope::kBlock; }

// Whether shared memory is read through the async proxy.
bool has_proxy_reads(const code::Program& program) {
  return std::ranges::any_of(program.functions, [](const auto& function) {
    return std::ranges::any_of(function->instructions, [](const code::Instruction& instruction) {
      return instruction.has("mma_async") || (instruction.has("bulk") && instruction.has("async"));
    });
  });
}

void note_remote_access(const BlockState& block, BlockState& owner, const run::Warp& warp,
                        const run::Access& access) {
  const std::uint32_t thread = warp.thread_id(static_cast<int>(lowest(access.lanes)));
  const Stamp stamp = block.order.stamp | Stamp{thread} << kThreadShift;
  auto& noted = owner.remote_accesses;
  const auto same = std::ranges::find_if(
      noted, [&](const RemoteAccess& other) { return same_warp(other.stamp, stamp); });
  RemoteAccess& last = same == noted.end() ? noted.emplace_back() : *same;
  last = {stamp, access.instruction, thread_id(*block.block, thread), access.writes};
}

}  // namespace

struct Checker::State {
  explicit State(Checks chosen)
      : checks(chosen),
        races(order, streams, instructions),
        copy_races(device, streams, instructions),
        polls(races),
        bounds(device, findings),
        accesses(order, races, device, bounds, copy_races) {}

  Checks checks;
  Instructions instructions;
  Findings findings;
  StreamOrder streams;
  Order order;
  DeviceShadow device;
  Races races;
  CopyRaces copy_races;
  PlainPolls polls;
  BulkStores bulk_stores;
  Bounds bounds;
  AccessCheck accesses;
  std::vector<std::unique_ptr<BlockState>> blocks;        // by slot
  std::unordered_map<const void*, std::uint64_t> phases;  // when a barrier's last one was complete
  bool launch_is_in_cluster = false;
  bool follows_ways = false;     // the kernel has barriers
  bool follows_proxies = false;  // and wgmma or bulk copies from shared memory

  // What is looked up once for each kernel.
  struct Kernel {
    SharedLayout layout;
    bool has_barriers = false;
    bool has_proxy_reads = false;
  };
  std::unordered_map<const code::Function*, Kernel> kernels;

  const Kernel& kernel_of(const run::Launch& launch) {
    const auto found = kernels.find(launch.kernel);
    if (found != kernels.end()) return found->second;
    return kernels[launch.kernel] = {SharedLayout(*launch.kernel),
                                     may_meet_barriers(*launch.program, *launch.kernel),
                                     has_proxy_reads(*launch.program)};
  }

  void note_filled(std::uint64_t address, std::uint64_t size_bytes) {
    const Work* const work = streams.current_work();
    if (work != nullptr) bounds.note_filled(address, {size_bytes, place_of(work->issued_at)});
  }

  BlockState& of(const run::Block& block) { return *blocks[block.slot]; }

  template <class Visit>
  void for_each_resident(Visit visit) {
    for (const auto& block : blocks) {
      if (block != nullptr && block->block != nullptr) visit(*block);
    }
  }
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

void Checker::forget(const code::Program& program) {
  state_->instructions.forget(program);
  for (const auto& function : program.functions) state_->kernels.erase(function.get());
}

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
  s.accesses.begin_launch(s.checks, s.streams.has_concurrent_copies());
  s.order.begin_launch(s.streams.first_concurrent_block(s.order.next_ordinal()));
  s.launch_is_in_cluster = launch.cluster.count() > 1;
  s.findings.begin_launch();
  s.races.begin_launch();
  s.copy_races.begin_launch();
  s.polls.begin_launch();
  s.bulk_stores.clear();
  s.phases.clear();
  const State::Kernel& kernel = s.kernel_of(launch);
  s.bounds.begin_launch(kernel.layout);
  s.follows_ways = kernel.has_barriers;
  s.follows_proxies = kernel.has_proxy_reads && s.checks == Checks::kAll;
}

void Checker::launch_ends(run::Launch&) {
  State& s = *state_;
  s.for_each_resident([](BlockState& block) { block.block = nullptr; });  // after a fault
  if (Work* const work = s.streams.current_work()) work->end_block = s.order.next_ordinal();
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
  slot->remote_accesses.clear();
  if (s.follows_ways) slot->paths.begin(block);
  if (s.follows_proxies) slot->proxy.begin(block.shared_bytes, block.num_threads);
}

// No thread of the block may end before another block has accessed its shared memory.
void Checker::block_ends(run::Block& block) {
  State& s = *state_;
  BlockState& own = s.of(block);
  for (const RemoteAccess& access : own.remote_accesses) {
    if (s.order.is_ordered_before_end(access.stamp, own.order)) continue;
    if (!s.findings.is_new(*access.by, Mistake::kOwnerEnds)) continue;
    report_at(report::Kind::kRace, *block.launch, *access.by,
              report::owner_ends_text(report::thread_name(access.thread), access.writes,
                                      place_of(*block.launch, *access.by), thread_id(block, 0)));
  }
  if (s.follows_proxies) s.bulk_stores.end_block(block);
  own.block = nullptr;
}

void Checker::access(run::Warp& warp, run::Access& access) {
  State& s = *state_;
  if (access.lanes == 0) return;
  BlockState& block = s.of(*warp.block);
  BlockState& owner = access.remote == nullptr ? block : s.of(*access.remote);
  s.accesses.check(block, owner, warp, access);
  if (access.remote != nullptr && access.lanes != 0 && s.checks == Checks::kAll) {
    note_remote_access(block, owner, warp, access);
  }
  // After the check, which leaves the lanes whose memory exists: only that has records.
  if (access.lanes != 0 && s.polls.is_watching() && s.checks == Checks::kAll) {
    s.polls.look(block, warp, access, s.accesses.target_of(owner, access));
  }
  if (!s.follows_proxies) return;
  if (access.space == run::Space::kShared && access.remote == nullptr) {
    block.proxy.look(warp, access, s.findings);
  } else if (access.space == run::Space::kGlobal) {
    s.bulk_stores.look(warp, access, s.findings);
  }
}

// Textures and surfaces are read through caches that the kernel's own writes need not reach.
void Checker::reads_image(run::Warp& warp, const run::Access& access) {
  State& s = *state_;
  const Work* const work = s.streams.current_work();
  if (s.checks != Checks::kAll || work == nullptr) return;
  const run::Launch& launch = *warp.block->launch;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    const std::uint64_t address = access.address[lane];
    const std::optional<Earlier> write =
        s.device.find(address, address + access.size_bytes, work->first_block,
                      s.order.next_ordinal(), Interest::kWrites);
    if (!write) continue;
    const std::uint32_t first = address % kWordBytes;
    const Stamp bytes = ((Stamp{1} << std::min(access.size_bytes, kWordBytes)) - 1) << first;
    if (!share_bytes(write->stamp, bytes << kBytesShift)) continue;  // its neighbour in the word
    const report::Place place = place_of(launch, s.instructions.find(*launch.program, write->id));
    const report::Place own = place_of(launch, launch.running, *access.instruction);
    return report_at(report::Kind::kRace, launch, *access.instruction,
                     report::written_by_kernel_text(
                         thread_name(*warp.block, warp.thread_id(static_cast<int>(lane))),
                         report::line_name(place, own.file)));
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
  own.proxy.threads_meet();
  state_->order.block_meets(own.order);
}

void Checker::threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                           const code::Instruction&, const void* barrier) {
  state_->of(block).proxy.threads_meet();
  state_->order.threads_meet(state_->of(block).order, lanes_by_warp, barrier);
}

void Checker::lanes_meet(run::Warp& warp, std::uint32_t lanes, const code::Instruction&) {
  state_->of(*warp.block).proxy.threads_meet();
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
  releases(warp, lanes, scope, nullptr);
}

void Checker::releases(run::Warp& warp, std::uint32_t lanes, run::Scope scope,
                       const void* barrier) {
  BlockOrder& block = state_->of(*warp.block).order;
  if (barrier == nullptr) {
    state_->order.release(block, warp.id, lanes, is_for_device(scope));
  } else {
    state_->order.bring(block, warp.id, lanes, barrier);
  }
}

// A cluster's barrier is known by each of its blocks.
void Checker::phase_completes(run::Block& block, const code::Instruction&, std::uint32_t,
                              const void* barrier) {
  state_->phases[barrier == nullptr ? &block : barrier] = state_->order.now();
}

void Checker::acquires(run::Warp& warp, std::uint32_t lanes, run::Scope, const void* barrier) {
  BlockState& block = state_->of(*warp.block);
  block.proxy.threads_meet();
  if (block.order.brought.contains(barrier)) {
    state_->order.take(block.order, warp.id, lanes, barrier);
    return;
  }
  const std::uint64_t until = state_->phases[barrier == nullptr ? warp.block : barrier];
  state_->order.acquire(block.order, warp.id, lanes, until);
}

void Checker::async_read_begins(run::Warp& warp, const run::Access& source) {
  if (state_->follows_proxies) state_->of(*warp.block).proxy.open(warp, source);
}

void Checker::async_read_ends(run::Warp& warp, const run::Access& source) {
  State& s = *state_;
  BlockState& block = s.of(*warp.block);
  if (!s.follows_proxies) return;
  block.proxy.close(source);
  s.accesses.note_later_read(block, warp, source);
}

void Checker::bulk_stores_complete(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) {
  if (state_->follows_proxies) state_->bulk_stores.complete(warp, lanes, num_left);
}

void Checker::fence_async_proxy(run::Warp& warp, std::uint32_t lanes) {
  if (state_->follows_proxies) state_->of(*warp.block).proxy.fence(warp, lanes);
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
  state_->bounds.forget_fill(allocation.base);
  state_->device.end(allocation);
}

void Checker::caller_uses(std::uint64_t address, std::uint64_t size_bytes, bool writes) {
  if (size_bytes > 0) state_->copy_races.note_copied(address, size_bytes, writes);
}

void Checker::on_write(std::uint64_t address, std::uint64_t size_bytes) {
  if (!memory::is_device(address) || size_bytes == 0) return;
  state_->copy_races.note_copied(address, size_bytes, true);
  state_->device.set_written(address, size_bytes);
  state_->note_filled(address, size_bytes);
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
  state_->note_filled(to, size_bytes);
}

}  // namespace check
