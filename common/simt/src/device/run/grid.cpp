// SPDX-License-Identifier: MIT
#include "run/grid.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "report/debugger.h"
#include "report/words.h"
#include "run/events.h"
#include "run/poll.h"
#include "run/progress.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/waiting.h"

namespace simt::device {
namespace {

// How long a block whose threads poll keeps its turn while its own threads change memory.
constexpr int kMaxSweeps = 8;

// It is a deadlock when all blocks have polled this often without success; bounded polling ends
// sooner.
constexpr int kMinIdleRounds = 128;

// How many blocks whose turn ended at a barrier are unfinished at a time: enough to interact in all
// states, and few enough for their threads' stacks.
constexpr std::size_t kMaxInterrupted = 6;

AddressRange range_of(std::span<std::byte> memory) {
  return {reinterpret_cast<std::uintptr_t>(memory.data()), memory.size()};
}

const char* have(std::uint64_t count) { return count == 1 ? " has " : " have "; }

const Grid* g_running = nullptr;

bool can_run(const Block& block) { return block.runnable != 0 || block.has_yielded(); }

}  // namespace

Grid::Grid(Launch& launch, std::uint64_t max_resident)
    : launch_(launch),
      num_blocks_(std::uint64_t{launch.config.grid.x} * launch.config.grid.y *
                  launch.config.grid.z),
      max_resident_(max_resident),
      shared_memory_(launch.config.shared_bytes),
      end_(num_blocks_) {}

const Grid* running_grid() { return g_running; }

void Grid::run(std::uint64_t patience) {
  patience_ = patience;
  waits_for_host_ = false;
  g_running = this;
  running.static_shared = range_of(shared_memory_.static_memory());
  running.dynamic_shared = range_of(shared_memory_.dynamic_memory());
  if (resident_.empty() && can_start_block()) {
    start_block();
    position_ = 0;
  }
  for (;;) {
    const std::size_t position = position_;
    run_resident(position);
    if (launch_.fault) return;

    const Block& block = *resident_[position];
    const bool ended = block.live == 0;
    const bool is_half_done = block.interrupted || (block.holds_back && launch_.loses_updates);
    if (ended) {
      end_block(position);
    } else if (!can_run(block) && block.at_grid_barrier == 0) {
      return end_with_deadlock(block, "");
    }
    check_progress();
    if (launch_.fault || waits_for_host_) return;
    if (pauses_ && resident_.empty() && can_start_block() && pauses_()) return;

    // After a block's end those that poll have a better chance, oldest last; else the next block
    // comes. Held back, all have their turn before one has its second.
    std::optional<std::size_t> next = next_runnable(position);
    const bool was_interrupted = !ended && block.interrupted;
    const bool are_enough = is_half_done && resident_.size() >= kMaxInterrupted;
    if (takes_turns() ? can_start_in_wave()
                      : can_start_block() && !are_enough && (!ended || !next)) {
      start_block();
      next = resident_.size() - 1;
    } else if (resident_.empty()) {
      return;
    } else if (was_interrupted && launch_.schedule.is_youngest_first()) {
      next = position;  // the last to start, as all others have had their turn
    } else if (!next && release_grid_barrier()) {
      next = next_runnable(position);
    }
    if (!next) return end_turns();
    if (takes_turns() ? *next <= position : *next >= position) ++idle_rounds_;
    position_ = *next;
  }
}

// Gives the block its turn: until it ends, or all its threads wait or poll.
void Grid::run_resident(std::size_t position) {
  Block& block = *resident_[position];
  load_shared_memory(block);
  block.interrupted = block.holds_back = false;
  block.turn = ++num_turns_;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const std::uint64_t changes = running.changes;
    block.resume_yielded();
    run_block(block);
    if (launch_.fault || block.interrupted || block.holds_back) return;
    if (running.changes == changes || !block.has_yielded()) return;
  }
}

bool Grid::run_with_pause(std::uint64_t patience, std::function<bool()> pauses) {
  pauses_ = std::move(pauses);
  run(patience);
  pauses_ = nullptr;
  return !launch_.fault && !waits_for_host_ && resident_.empty() && can_start_block();
}

void Grid::take_part(std::uint64_t first, std::uint64_t end) {
  num_started_ = num_ended_ = first;
  end_ = end;
}

void Grid::end_part() {
  take_part(end_, end_);
  show_ended_blocks(num_ended_);
}

bool Grid::takes_turns() const { return launch_.schedule.holds_publications; }

// Blocks start together, as many as fit, so that none of them is ahead. The next ones start when
// these have ended, or if all wait.
bool Grid::can_start_in_wave() const {
  if (!can_start_block()) return false;
  return !wave_is_complete_ || resident_.empty() || idle_rounds_ > 1;
}

bool Grid::can_start_block() const {
  return num_started_ < end_ && resident_.size() < max_resident_;
}

void Grid::start_block() {
  if (spare_.empty()) {
    spare_.push_back(std::make_unique<Block>(launch_.config.block, launch_.schedule));
  }
  resident_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  resident_.back()->start(launch_.nth_block(num_started_++));
  wave_is_complete_ = resident_.size() == max_resident_;
  ++running.changes;
}

void Grid::end_block(std::size_t position) {
  on_block_end(*resident_[position]);
  if (resident_[position]->num_barriers == 0) launch_.may_meet_barriers = false;
  resident_[position]->shared_image.clear();
  spare_.push_back(std::move(resident_[position]));
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(position));
  loaded_ = nullptr;
  show_ended_blocks(++num_ended_);
}

void Grid::load_shared_memory(Block& block) {
  if (loaded_ == &block) return;
  on_shared_memory_leaves();
  if (loaded_ != nullptr) shared_memory_.save(loaded_->shared_image);
  if (block.shared_image.empty()) {
    shared_memory_.poison();
    on_shared_memory_fresh(block, shared_memory_);
  } else {
    shared_memory_.restore(block.shared_image);
  }
  loaded_ = &block;
}

// The next older block that can run, after the oldest the newest: threads often wait for the block
// that was started just before theirs, or just after. Or the one that has waited longest.
std::optional<std::size_t> Grid::next_runnable(std::size_t position) {
  const std::size_t size = resident_.size();
  if (takes_turns()) {
    const auto order = [](const auto& block) { return can_run(*block) ? block->turn : UINT64_MAX; };
    const auto next = std::ranges::min_element(resident_, {}, order);
    if (next == resident_.end() || !can_run(**next)) return std::nullopt;
    return next - resident_.begin();
  }
  for (std::size_t i = 1; i <= size; ++i) {
    const std::size_t candidate = (position + size - i) % size;
    if (can_run(*resident_[candidate])) return candidate;
  }
  return std::nullopt;
}

// If the whole grid waits at the grid's barrier, lets all blocks go on.
bool Grid::release_grid_barrier() {
  const auto all_there = [](const auto& block) { return block->at_grid_barrier == block->live; };
  if (resident_.size() != num_blocks_) return false;
  if (!std::all_of(resident_.begin(), resident_.end(), all_there)) return false;
  on_grid_barrier();
  for (const auto& block : resident_) block->release_grid_barrier();
  return true;
}

void Grid::check_progress() {
  if (running.changes != seen_changes_) {
    seen_changes_ = running.changes;
    idle_rounds_ = 0;
    reset_idle_steps();
  } else if (idle_steps() >= patience_ && idle_rounds_ >= kMinIdleRounds) {
    end_turns();
  }
}

// No block can go on, or all only poll.
void Grid::end_turns() {
  waits_for_host_ = could_host_help();
  if (!waits_for_host_) end_with_standstill("");
}

bool Grid::could_host_help() const {
  return std::any_of(resident_.begin(), resident_.end(),
                     [](const auto& block) { return polls_global_memory(*block); });
}

void Grid::leave() {
  on_shared_memory_leaves();
  if (loaded_ != nullptr) shared_memory_.save(loaded_->shared_image);
  loaded_ = nullptr;
  shared_memory_.lend_to_host();
}

void Grid::come_back() {
  shared_memory_.take_back();
  idle_rounds_ = 0;
  reset_idle_steps();
}

void Grid::give_up(const std::string& why) { end_with_standstill(why); }

void Grid::end_with_deadlock(const Block& block, const std::string& more) {
  const bool mismatch = has_mask_mismatch(block);
  std::string message = mismatch ? "warp operations that do not match in " : "deadlock in ";
  const std::vector<WaitingThread> threads = waiting_threads(block);
  const std::optional<StuckOperation> stuck = stuck_operation(block);
  const WaitingThread* accused = threads.empty() ? nullptr : &threads.front();
  if (stuck) accused = stuck->was_skipped ? &stuck->caller : &stuck->missing.front();
  message += block_name(block) + ": " + waiting_text(threads);
  if (stuck && stuck->was_skipped) message += skipped_operation_text(stuck->caller, stuck->missing);
  launch_.fault = Fault{cudaErrorLaunchTimeout,
                        mismatch ? FindingKind::kBarrierDivergence : FindingKind::kDeadlock,
                        message + more, accused == nullptr ? nullptr : accused->pc};
  if (accused != nullptr) {
    name_accused({block.index, thread_index_of(accused->id, launch_.config.block), accused->pc});
  }
  tell_debugger(*launch_.fault->kind, launch_.fault->message, Then::kEndsKernel);
}

// The message describes the oldest block.
void Grid::end_with_standstill(const std::string& why) {
  std::string more = why;
  if (resident_.size() > 1) {
    const std::size_t others = resident_.size() - 1;
    more += "; " + blocks(others, "more ") + (others == 1 ? " is" : " are") + " under way";
  }
  if (num_ended_ > 0) more += "; " + blocks(num_ended_) + have(num_ended_) + "ended";
  if (num_started_ < num_blocks_) {
    const std::uint64_t rest = num_blocks_ - num_started_;
    more += "; " + blocks(rest) + have(rest) + "not started, because the device holds " +
            std::to_string(max_resident_) + " at a time";
    if (launch_.schedule.is_device_busy && !launch_.config.cooperative) {
      more += " next to other programs";
    }
  }
  end_with_deadlock(*resident_.front(), more);
}

}  // namespace simt::device
