// SPDX-License-Identifier: MIT
// A launch from its first block to its last: which blocks are resident, and which has its turn.
#include "run/machine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "memory/address_map.h"
#include "run/bind.h"
#include "run/bulk_groups.h"
#include "run/engine.h"
#include "run/register_counts.h"

namespace run {
namespace {

using code::Op;

// How long a block whose threads poll keeps its turn while its own threads change memory.
constexpr int kMaxSweeps = 8;

// After this many rounds without a change lanes no longer wait for those that poll.
constexpr int kRoundsBeforeBreak = 3;

// How many blocks whose turn ended at a barrier are unfinished at a time.
constexpr std::size_t kMaxInterrupted = 6;

constexpr std::uint32_t kSharedBytesPerMultiprocessor = 228 << 10;
constexpr std::uint32_t kReservedSharedBytes = 1 << 10;
constexpr std::uint32_t kMaxThreadsPerMultiprocessor = 2048;
constexpr std::uint32_t kMaxBlocksPerMultiprocessor = 32;

std::uint64_t blocks_per_multiprocessor(const Launch& launch) {
  const auto warps = static_cast<std::uint32_t>((launch.block.count() + kWarpSize - 1) / kWarpSize);
  const std::uint32_t shared = launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  return std::min({kMaxThreadsPerMultiprocessor / (warps * kWarpSize),
                   kSharedBytesPerMultiprocessor / (shared + kReservedSharedBytes),
                   kMaxBlocksPerMultiprocessor});
}

// Executes the part that the warp has chosen until it cannot go on.
void execute(Warp& warp) {
  ++warp.engine->switches;
  const Op* op = warp.part->next;
  while (op != nullptr) {
    std::uint32_t lanes = warp.lanes;
    if (op->guard != code::kNoGuard) {
      const std::uint32_t predicate = warp.predicate(op->guard);
      lanes &= op->guard_negated ? ~predicate : predicate;
      if (lanes == 0) {
        ++op;
        continue;
      }
    }
    if (!warp.unwritten.empty()) follow_unwritten(warp, op, lanes);
    if (!warp.products.registers.empty()) follow_products(warp, op, lanes);
    op = op->handler(warp, op, lanes);
  }
}

void execute_watched(Warp& warp) {
  Engine& engine = *warp.engine;
  ++engine.switches;
  const Op* op = warp.part->next;
  while (op != nullptr) {
    std::uint32_t lanes = warp.lanes;
    if (op->guard != code::kNoGuard) {
      const std::uint32_t predicate = warp.predicate(op->guard);
      lanes &= op->guard_negated ? ~predicate : predicate;
      if (lanes == 0) {
        ++op;
        continue;
      }
    }
    warp.part->next = op;
    for (Monitor* const monitor : engine.stepping) monitor->executes(warp, *op, lanes);
    if (!warp.unwritten.empty()) follow_unwritten(warp, op, lanes);
    if (!warp.products.registers.empty()) follow_products(warp, op, lanes);
    op = op->handler(warp, op, lanes);
  }
}

// Those that are deepest in calls come first, then those that are first in the code: others may
// wait for them.
Part* choose(const Warp& warp) {
  Part* best = nullptr;
  for (const auto& part : warp.parts) {
    if (part->waiting != Waiting::kNothing) continue;
    if (best == nullptr || part->frames.size() > best->frames.size() ||
        (part->frames.size() == best->frames.size() && part->next < best->next)) {
      best = part.get();
    }
  }
  return best;
}

bool is_any(const RunningBlock& block, Waiting waiting) {
  return std::ranges::any_of(block.warps, [&](const auto& warp) {
    return std::ranges::any_of(warp->parts,
                               [&](const auto& part) { return part->waiting == waiting; });
  });
}

bool can_run(const RunningBlock& block) {
  return is_any(block, Waiting::kNothing) || is_any(block, Waiting::kMemory);
}

void resume_yielded(RunningBlock& block) {
  for (const auto& warp : block.warps) {
    for (const auto& part : warp->parts) {
      if (part->waiting == Waiting::kMemory) part->waiting = Waiting::kNothing;
    }
  }
}

bool break_joins(RunningBlock& block) {
  bool any = false;
  for (const auto& warp : block.warps) any = break_joins(*warp) || any;
  return any;
}

// Runs the block's warps in order until all wait, or its turn ends.
void run_block(Engine& engine, RunningBlock& block) {
  block.next_warp = 0;
  for (;;) {
    while (block.next_warp < block.order.size()) {
      Warp& warp = *block.warps[block.order[block.next_warp]];
      Part* const part = choose(warp);
      if (part == nullptr) {
        ++block.next_warp;
        continue;
      }
      warp.part = part;
      load_frame(warp);
      block.launch->running = part;
      engine.stepping.empty() ? execute(warp) : execute_watched(warp);
      block.launch->running = nullptr;
      if (block.was_interrupted || block.had_long_turn) return;
    }
    // Lanes at a join wait for others that wait for a barrier, which waits for them.
    if (block.live == 0 || is_any(block, Waiting::kMemory) || !break_joins(block)) return;
    block.next_warp = 0;
  }
}

class Grid {
 public:
  Grid(Engine& engine, RunningLaunch& running) : engine_(engine), running_(running) {}

  Outcome run(std::uint64_t patience) {
    const bool begins = running_.num_started == 0;
    if (begins && can_start_block()) start_blocks();
    if (begins) running_.position = 0;
    for (;;) {
      const std::size_t position = running_.position;
      run_resident(position);
      RunningBlock& block = *running_.resident[position];
      const bool ended = block.live == 0;
      const bool is_half_done =
          block.was_interrupted || (block.holds_back && running_.launch->loses_updates);
      const bool was_interrupted = !ended && block.was_interrupted && !block.had_long_turn;
      if (ended) {
        end_block(position);
      } else if (!can_run(block) && block.at_grid_barrier == 0 &&
                 !is_any(block, Waiting::kCluster)) {
        end_with_deadlock(block, "");
      }
      if (const std::optional<Outcome> outcome = check_progress(patience)) return *outcome;

      std::optional<std::size_t> next = next_runnable(position);
      const bool are_enough = is_half_done && running_.resident.size() >= kMaxInterrupted;
      if (takes_turns() ? can_start_in_wave()
                        : can_start_block() && !are_enough && (!ended || !next)) {
        next = running_.resident.size();
        start_blocks();
      } else if (running_.resident.empty()) {
        return Outcome::kEnded;
      } else if (was_interrupted && running_.schedule.is_youngest_first()) {
        next = position;
      } else if (!next && release_grid_barrier(running_)) {
        next = next_runnable(position);
      }
      if (!next) return end_turns();
      const bool is_new_round = takes_turns() ? *next <= position : *next >= position;
      if (is_new_round && ++running_.idle_rounds > kRoundsBeforeBreak) {
        for (const auto& resident : running_.resident) break_joins(*resident);
      }
      running_.position = *next;
    }
  }

  [[noreturn]] void end_with_standstill(const std::string& why) const {
    report::Progress progress;
    progress.num_resident = running_.resident.size();
    progress.num_ended = running_.num_ended;
    progress.num_not_started = num_blocks() - running_.num_started;
    progress.max_resident = running_.max_resident;
    progress.is_beside_others =
        running_.schedule.is_device_busy && !running_.launch->is_cooperative;
    end_with_deadlock(*running_.resident.front(), why + report::progress_text(progress));
  }

 private:
  std::uint64_t num_blocks() const { return running_.launch->grid.count(); }
  std::uint64_t cluster_size() const { return running_.launch->cluster.count(); }
  bool takes_turns() const { return running_.schedule.holds_publications; }

  void run_resident(std::size_t position) {
    RunningBlock& block = *running_.resident[position];
    block.was_interrupted = block.had_long_turn = block.holds_back = false;
    block.turn = ++running_.num_turns;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      const std::uint64_t changes = engine_.changes;
      resume_yielded(block);
      run_block(engine_, block);
      if (block.was_interrupted || block.had_long_turn || block.holds_back) return;
      if (engine_.changes == changes || !is_any(block, Waiting::kMemory)) return;
    }
  }

  // Blocks start together, as many as fit, so that none of them is ahead. The next ones start when
  // these have ended, or if all wait.
  bool can_start_in_wave() const {
    if (!can_start_block()) return false;
    return !running_.wave_is_complete || running_.resident.empty() || running_.idle_rounds > 1;
  }
  bool can_start_block() const {
    return running_.num_started < num_blocks() &&
           running_.resident.size() + cluster_size() <=
               std::max(running_.max_resident, cluster_size());
  }

  // The blocks of a cluster start together.
  void start_blocks() {
    for (std::uint64_t i = 0; i < cluster_size(); ++i) start_block();
    running_.wave_is_complete = running_.resident.size() + cluster_size() > running_.max_resident;
    ++engine_.changes;
  }

  Dim nth_block(std::uint64_t n) const {
    const Launch& launch = *running_.launch;
    const Dim& cluster = launch.cluster;
    const std::uint64_t size = cluster_size();
    const std::uint64_t id = running_.schedule.blocks(n / size);
    const std::uint64_t columns = launch.grid.x / cluster.x;
    const std::uint64_t rows = launch.grid.y / cluster.y;
    const auto rank = static_cast<std::uint32_t>(n % size);
    return {
        static_cast<std::uint32_t>(id % columns) * cluster.x + rank % cluster.x,
        static_cast<std::uint32_t>(id / columns % rows) * cluster.y + rank / cluster.x % cluster.y,
        static_cast<std::uint32_t>(id / columns / rows) * cluster.z + rank / cluster.x / cluster.y};
  }

  void start_block() {
    Launch& launch = *running_.launch;
    std::unique_ptr<RunningBlock> block;
    if (running_.spare.empty()) {
      block = std::make_unique<RunningBlock>();
      block->slot = static_cast<std::uint32_t>(running_.resident.size());
    } else {
      block = std::move(running_.spare.back());
      running_.spare.pop_back();
    }
    block->launch = &launch;
    block->index = nth_block(running_.num_started);
    block->linear =
        (std::uint64_t{block->index.z} * launch.grid.y + block->index.y) * launch.grid.x +
        block->index.x;
    block->ordinal = running_.num_started++;
    block->num_threads = block->live = static_cast<std::uint32_t>(launch.block.count());
    block->num_barriers = 0;
    block->at_grid_barrier = 0;
    block->barriers = {};
    block->cluster_arrival = nullptr;
    block->was_interrupted = block->had_long_turn = block->holds_back = false;
    fill_shared(*block);
    start_warps(*block);
    running_.resident.push_back(std::move(block));
    for (Monitor* const monitor : engine_.monitors)
      monitor->block_starts(*running_.resident.back());
  }

  void fill_shared(RunningBlock& block) const {
    const Launch& launch = *running_.launch;
    const std::uint32_t size = launch.kernel->dynamic_shared_offset + launch.dynamic_shared_bytes;
    block.room.resize((size + 15) / 16 * 16 + 16);
    auto* const words = reinterpret_cast<std::uint32_t*>(block.room.data());
    std::fill_n(words, block.room.size() / 4, memory::kPoisonWord);
    block.shared = block.room.data();
    block.shared_bytes = size;
  }

  void start_warps(RunningBlock& block) {
    const std::uint32_t num_warps = (block.num_threads + kWarpSize - 1) / kWarpSize;
    block.order.resize(num_warps);
    for (std::uint32_t id = 0; id < num_warps; ++id) {
      block.order[id] = static_cast<std::uint32_t>(running_.schedule.warps(id));
      if (block.warps.size() <= id) block.warps.push_back(std::make_unique<Warp>());
      Warp& warp = *block.warps[id];
      warp.engine = &engine_;
      warp.block = &block;
      warp.id = id;
      const std::uint32_t threads =
          std::min<std::uint32_t>(kWarpSize, block.num_threads - id * kWarpSize);
      warp.has_lane_ahead = false;
      warp.existing = warp.live = threads == kWarpSize ? ~0U : (1U << threads) - 1;
      remove_all_parts(warp);
      warp.after_partial = 0;
      warp.unwritten.clear();
      warp.copies.clear();
      warp.bulk_reads.clear();
      warp.batches = warp.bulk_groups = {};
      warp.products = {};
      warp.registers = {};
      warp.cluster = {};
      warp.part = &new_part(warp, warp.live, running_.launch->kernel->ops.data());
      push_frame(warp, *running_.launch->kernel, nullptr, nullptr);
    }
  }

  void end_block(std::size_t position) {
    end_bulk_reads(*running_.resident[position]);
    check_register_counts(*running_.resident[position]);
    for (Monitor* const monitor : engine_.monitors)
      monitor->block_ends(*running_.resident[position]);
    running_.spare.push_back(std::move(running_.resident[position]));
    running_.resident.erase(running_.resident.begin() + static_cast<std::ptrdiff_t>(position));
    ++running_.num_ended;
  }

  std::optional<std::size_t> next_runnable(std::size_t position) const {
    const std::size_t size = running_.resident.size();
    if (takes_turns()) {
      std::optional<std::size_t> next;  // the one whose last turn is the longest ago
      for (std::size_t i = 0; i < size; ++i) {
        const RunningBlock& block = *running_.resident[i];
        if (next && block.turn >= running_.resident[*next]->turn) continue;
        if (can_run(block)) next = i;  // asked of few: it looks at all warps
      }
      return next;
    }
    for (std::size_t i = 1; i <= size; ++i) {
      const std::size_t candidate = (position + size - i) % size;
      if (can_run(*running_.resident[candidate])) return candidate;
    }
    return std::nullopt;
  }

  std::optional<Outcome> check_progress(std::uint64_t patience) {
    if (engine_.changes != running_.seen_changes) {
      running_.seen_changes = engine_.changes;
      running_.idle_rounds = 0;
      engine_.idle_steps = 0;
    } else if (engine_.idle_steps >= patience &&
               running_.idle_rounds >= rounds_of_deadlock(engine_)) {
      return end_turns();
    }
    return std::nullopt;
  }

  // No block can go on, or all only poll.
  Outcome end_turns() {
    const auto polls = [](const auto& block) { return polls_global_memory(*block); };
    if (std::ranges::any_of(running_.resident, polls)) return Outcome::kWaitsForHost;
    end_with_standstill("");
  }

  Engine& engine_;
  RunningLaunch& running_;
};

}  // namespace

Block* cluster_block(Warp& warp, const Instruction& instruction, int lane, std::uint32_t rank) {
  const Launch& launch = *warp.block->launch;
  const Dim& cluster = launch.cluster;
  const Dim& own = warp.block->index;
  if (rank < cluster.count()) {
    const Dim wanted = {own.x / cluster.x * cluster.x + rank % cluster.x,
                        own.y / cluster.y * cluster.y + rank / cluster.x % cluster.y,
                        own.z / cluster.z * cluster.z + rank / cluster.x / cluster.y};
    for (const auto& block : warp.engine->running->resident) {
      if (block->index.x == wanted.x && block->index.y == wanted.y && block->index.z == wanted.z) {
        return block.get();
      }
    }
  }
  end_kernel(warp, instruction, report::Kind::kOutOfBounds,
             thread_name(warp, lane) + " uses shared memory of block " + std::to_string(rank) +
                 " of its cluster, which is not there or has ended",
             cudaErrorIllegalAddress);
}

std::uint32_t own_cluster_rank(const Warp& warp) {
  const Dim& cluster = warp.block->launch->cluster;
  const Dim& own = warp.block->index;
  return own.x % cluster.x + cluster.x * (own.y % cluster.y + cluster.y * (own.z % cluster.z));
}

std::uint64_t max_resident_blocks(const Launch& launch) {
  return blocks_per_multiprocessor(launch) * launch.num_multiprocessors;
}

struct Machine::State : Engine {
  using Engine::Engine;
};

Machine::Machine(const code::Program& program) : state_(std::make_unique<State>(program)) {}
Machine::~Machine() = default;

void Machine::set_monitors(std::vector<Monitor*> monitors) {
  state_->stepping.clear();
  state_->entering.clear();
  state_->at_locals.clear();
  for (Monitor* const monitor : monitors) {
    if (monitor->wants_each_op()) state_->stepping.push_back(monitor);
    if (monitor->wants_blocks()) state_->entering.push_back(monitor);
    if (monitor->wants_locals()) state_->at_locals.push_back(monitor);
  }
  state_->monitors = std::move(monitors);
}

void Machine::set_schedule(std::uint64_t seed) { state_->seed = seed; }
void Machine::set_printer(std::function<void(std::string_view)> print) {
  state_->print = std::move(print);
}
void Machine::set_launcher(Launcher launcher) { state_->launcher = std::move(launcher); }
void Machine::set_step_limit(std::uint64_t limit) { state_->step_limit = limit; }
void Machine::set_time_limit(double seconds) {
  state_->time_limit = seconds;
  state_->time_begin = process_seconds();
}
bool Machine::is_waiting() const { return state_->running != nullptr; }
int Machine::error() const { return state_->error; }

namespace {

void end_launch(Engine& engine) {
  for (Monitor* const monitor : engine.monitors) monitor->launch_ends(engine.launch());
  engine.running.reset();
  reset_joins();
}

// Runs what is running until it ends or waits; a fault is reported.
template <class Run>
Outcome guarded(Engine& engine, Run run) {
  try {
    const Outcome outcome = run();
    if (outcome == Outcome::kEnded) end_launch(engine);
    return outcome;
  } catch (const Fault& fault) {
    report::report(fault.finding);
    engine.error = fault.error;
    end_launch(engine);
    return Outcome::kEnded;
  }
}

}  // namespace

Outcome Machine::launch(std::unique_ptr<Launch> launch) {
  Engine& engine = *state_;
  auto running = std::make_unique<RunningLaunch>();
  const auto num_warps = static_cast<int>((launch->block.count() + kWarpSize - 1) / kWarpSize);
  const std::uint64_t num_clusters = launch->grid.count() / launch->cluster.count();
  running->schedule = Schedule::for_grid(engine.seed, num_clusters, num_warps);
  const bool has_all_room = launch->is_cooperative || !running->schedule.is_device_busy;
  running->max_resident = std::max<std::uint64_t>(
      1, blocks_per_multiprocessor(*launch) * (has_all_room ? launch->num_multiprocessors : 1));
  running->launch = std::move(launch);
  engine.running = std::move(running);
  engine.host_variables = engine.launch().host_variables;
  engine.launch().number = ++engine.num_launches;
  engine.error = 0;
  engine.nested_error = 0;
  engine.idle_steps = 0;
  engine.impatience = 0;
  reset_alarm(engine);
  for (Monitor* const monitor : engine.monitors) monitor->launch_begins(engine.launch());
  return guarded(engine, [&] { return Grid(engine, *engine.running).run(engine.step_limit); });
}

Outcome Machine::proceed() {
  Engine& engine = *state_;
  if (engine.running == nullptr) return Outcome::kEnded;
  engine.running->idle_rounds = 0;
  engine.idle_steps = 0;
  reset_alarm(engine);
  return guarded(engine, [&] { return Grid(engine, *engine.running).run(engine.step_limit / 16); });
}

void Machine::give_up(const std::string& why) {
  Engine& engine = *state_;
  if (engine.running == nullptr) return;
  guarded(engine, [&]() -> Outcome { Grid(engine, *engine.running).end_with_standstill(why); });
}

}  // namespace run
