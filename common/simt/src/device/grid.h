// SPDX-License-Identifier: MIT
// One launch under way: which of its blocks are resident, and whose turn it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "block.h"
#include "fault.h"
#include "schedule.h"
#include "shared_memory.h"
#include "simt/launch.h"

namespace simt::device {

// Blocks are made resident one by one, and only when those that are cannot go on: because they poll
// memory, or wait at the grid's barrier. A kernel whose blocks do neither has one resident block,
// on the same few fibers, from the first to the last.
class Grid {
 public:
  // max_resident: blocks that the device holds at a time; at least 1.
  Grid(const LaunchSite& site, const LaunchConfig& config, std::uint64_t max_resident,
       detail::ThreadBody body, void* closure);

  // Runs all blocks to their end, or until a fault.
  void run();

  // Runs the running lane's thread. An exception that leaves it is a fault. Called on a fiber.
  void run_thread_body();

  const LaunchSite& site() const { return site_; }
  const LaunchConfig& config() const { return config_; }
  const Schedule& schedule() const { return schedule_; }

  // Whether the block barrier that is complete now ends its block's turn. Never while counting: a
  // warp that waits for another block splits its requests.
  bool draw_interruption(std::uint64_t n_in_block) {
    return !counts_ && schedule_.interrupts(num_barriers_++, n_in_block);
  }

  // __shared__ variables that its blocks have written.
  const std::set<const SharedVariable*>& shared_variables() const { return shared_variables_; }

  std::optional<Fault> fault;  // why the kernel was ended

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

  const LaunchSite site_;
  const LaunchConfig config_;
  const std::uint64_t num_blocks_;
  const std::uint64_t max_resident_;
  const Schedule schedule_;
  const detail::ThreadBody body_;
  void* const closure_;
  const bool counts_;
  SharedMemory shared_memory_;

  std::uint64_t num_started_ = 0;
  std::uint64_t num_ended_ = 0;
  std::uint64_t num_barriers_ = 0;                // that blocks have passed
  std::vector<std::unique_ptr<Block>> resident_;  // oldest first
  std::vector<std::unique_ptr<Block>> spare_;
  std::set<const SharedVariable*> shared_variables_;
  Block* loaded_ = nullptr;  // whose shared memory is in place; null if nobody's that is needed

  // Since memory last changed:
  std::uint64_t seen_changes_ = 0;
  int idle_rounds_ = 0;  // how often all resident blocks have had their turn
};

}  // namespace simt::device
