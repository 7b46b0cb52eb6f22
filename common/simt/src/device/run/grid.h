// SPDX-License-Identifier: MIT
// One running launch: which of its blocks are resident, and which one has its turn.
#pragma once

#include <cstdint>
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

  // Runs all blocks to their end, or until a fault.
  void run();

 private:
  void run_resident(std::size_t position);
  bool can_start_block() const;
  void start_block();
  void end_block(std::size_t position);
  void load_shared_memory(Block& block);
  bool release_grid_barrier();
  std::optional<std::size_t> next_runnable(std::size_t position);
  void check_progress();
  void end_with_deadlock(const Block& block, const std::string& more);
  void end_with_standstill();

  Launch& launch_;
  const std::uint64_t num_blocks_;
  const std::uint64_t max_resident_;
  SharedMemory shared_memory_;

  std::uint64_t num_started_ = 0;
  std::uint64_t num_ended_ = 0;
  std::vector<std::unique_ptr<Block>> resident_;  // oldest first
  std::vector<std::unique_ptr<Block>> spare_;
  Block* loaded_ = nullptr;  // whose shared memory is in place; null if no needed one is

  // Since memory last changed:
  std::uint64_t seen_changes_ = 0;
  int idle_rounds_ = 0;  // how often all resident blocks have had their turn
};

}  // namespace simt::device
