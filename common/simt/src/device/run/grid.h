// SPDX-License-Identifier: MIT
// One running launch: which of its blocks are resident, and which one has its turn.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/block.h"
#include "run/launch.h"
#include "run/shared_memory.h"

namespace simt::device {

// Blocks are made resident one by one, and only when those that are cannot go on: because they poll
// memory, or wait at the grid's barrier. A kernel whose blocks do neither has one resident block,
// on the same few fibers, from the first to the last.
class Grid {
 public:
  // max_resident: blocks that the device holds at a time; at least 1.
  Grid(Launch& launch, std::uint64_t max_resident);

  // Runs all blocks to their end, until a fault, or until the host could write what they poll.
  // Further calls go on from there; each waits for about `patience` basic blocks.
  void run(std::uint64_t patience);

  // The same, until `pauses` says to stop where no block is half done; it is asked after each
  // block. Returns whether it stopped there; then some blocks have not started.
  bool run_with_pause(std::uint64_t patience, std::function<bool()> pauses);

  // In a process that runs a part of the launch: the blocks from `first` to before `end` are next,
  // and the last. In the process that began it: all blocks have run in parts.
  void take_part(std::uint64_t first, std::uint64_t end);
  void end_part();

  bool waits_for_host() const { return waits_for_host_; }

  // For a debugger.
  const Launch& launch() const { return launch_; }
  const std::vector<std::unique_ptr<Block>>& resident() const { return resident_; }
  bool is_in_place(const Block& block) const { return loaded_ == &block; }  // its shared memory
  std::uint64_t num_blocks() const { return num_blocks_; }
  std::uint64_t num_started() const { return num_started_; }
  std::uint64_t num_ended() const { return num_ended_; }

  // Between two calls of run(), while the host goes on.
  void leave();
  void come_back();

  // The host will not write it: a deadlock. `why` ends the message.
  void give_up(const std::string& why);

 private:
  void run_resident(std::size_t position);
  bool takes_turns() const;
  bool can_start_in_wave() const;
  bool can_start_block() const;
  void start_block();
  void end_block(std::size_t position);
  void load_shared_memory(Block& block);
  bool release_grid_barrier();
  std::optional<std::size_t> next_runnable(std::size_t position);
  void check_progress();
  void end_turns();
  bool could_host_help() const;
  void end_with_deadlock(const Block& block, const std::string& more);
  void end_with_standstill(const std::string& why);

  Launch& launch_;
  const std::uint64_t num_blocks_;
  const std::uint64_t max_resident_;
  SharedMemory shared_memory_;

  std::uint64_t end_;  // of the blocks that this process starts
  std::uint64_t num_started_ = 0;
  std::uint64_t num_ended_ = 0;
  std::vector<std::unique_ptr<Block>> resident_;  // oldest first
  std::vector<std::unique_ptr<Block>> spare_;
  std::size_t position_ = 0;  // in resident_: whose turn it is
  std::uint64_t num_turns_ = 0;
  bool wave_is_complete_ = false;
  Block* loaded_ = nullptr;  // whose shared memory is in place; null if no needed one is

  // Since memory last changed:
  std::uint64_t seen_changes_ = 0;
  int idle_rounds_ = 0;  // how often all resident blocks have had their turn
  std::uint64_t patience_ = 0;
  bool waits_for_host_ = false;
  std::function<bool()> pauses_;  // see run_with_pause(); usually empty
};

// The grid whose blocks run; null: none.
const Grid* running_grid();

}  // namespace simt::device
