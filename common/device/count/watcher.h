// SPDX-License-Identifier: MIT
// Counts what kernels do: a monitor. docs/counters.md defines each counter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "count/counters.h"
#include "count/exposure.h"
#include "count/publications.h"
#include "count/states.h"
#include "count/tally.h"
#include "memory/book.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace count {

class Watcher final : public run::Monitor {
 public:
  // Whether launches and copies that begin from now on are counted.
  void set_counting(bool on) { is_counting_ = on; }
  bool is_counting() const { return is_counting_; }

  // What was counted since the last call, with kernels in order of their first launch. Bytes of
  // pages that the host has not used do not count; without a function all count. To be called
  // before a program that ran goes away.
  std::vector<KernelCounters> take(const HasHostUsed& has_host_used = {});

  // A row of a copy that the host issues: traffic of a kernel "cudaMemcpy". The addresses are those
  // of the device; 0 is memory of the host.
  void copy(const memory::HostPlace& at, std::uint64_t to, std::uint64_t from,
            std::uint64_t size_bytes);

  // What the host's code does besides, as if by a kernel "host": adds to a counter, or raises it.
  void host_does(const memory::HostPlace& at, Counter counter, std::uint64_t number);

  // A launch that waits for the host goes on: the host may have used what both can use.
  void host_had_a_turn() { exposure_.expose_anew(); }

  bool wants_blocks() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;

  void access(run::Warp& warp, run::Access& access) override;
  void wrote(run::Warp& warp, const run::Access& access) override;

  void block_meets(run::Block& block, const code::Instruction& instruction) override;
  void threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                    const code::Instruction& instruction, const void* barrier) override;
  void grid_meets(run::Launch& launch) override;
  void cluster_meets(std::span<run::Block* const> blocks) override;
  void arrives_at_barrier(run::Warp& warp, std::uint32_t lanes,
                          const code::Instruction& instruction) override;
  void phase_completes(run::Block& block, const code::Instruction& instruction,
                       std::uint32_t expected, const void* barrier) override;
  void warp_operation(run::Warp& warp, std::uint32_t lanes,
                      const code::Instruction& instruction) override;

  void multiplies(run::Warp& warp, const code::Instruction& instruction,
                  std::uint64_t multiply_adds) override;

  void copy_begins(run::Warp& warp, const run::Access& destination) override;
  void copies_committed(run::Warp& warp, std::uint32_t lanes) override;
  void copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;

  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;
  void diverges(run::Warp& warp, const code::Instruction& instruction, std::uint32_t taken,
                std::uint32_t not_taken) override;

 private:
  WarpState& state(const run::Warp& warp) {
    if (&warp != last_warp_) {
      last_block_ = &states_[warp.block->slot];
      last_state_ = &last_block_->warps[warp.id];
      last_warp_ = &warp;
    }
    return *last_state_;
  }
  BlockState& block_state(const run::Warp& warp) {
    state(warp);
    return *last_block_;
  }

  std::uint32_t count_plain(CounterSet& counters, const run::Access& access, RequestKind kind);
  std::uint32_t count_atomic(CounterSet& counters, const run::Access& access, RequestKind kind,
                             BlockState& block);
  void count_barrier_object(run::Warp& warp, Place& place, const run::Access& access);
  void count_bulk(run::Warp& warp, Place& place, const run::Access& access);
  void count_look(run::Warp& warp, Place& place, const run::Access& access);
  void count_arrivals(BlockState& block, const Arrivals::Group& group);
  void count_barrier(BlockState& block, const code::Instruction& instruction);
  void count_last_barrier(BlockState& block);
  void keep_old_values(const run::Access& access);
  void end_block(BlockState& block);

  bool is_counting_ = false;
  Tallies tallies_;
  Exposure exposure_;
  Publications publications_;

  // Of the launch.
  KernelTally* kernel_ = nullptr;   // null: it is not counted
  std::vector<BlockState> states_;  // by slot
  std::uint64_t most_sectors_ = 0;  // of any block that has ended
  std::uint64_t most_passes_ = 0;   // of any warp

  const run::Warp* last_warp_ = nullptr;  // whose state was looked up last
  WarpState* last_state_ = nullptr;
  BlockState* last_block_ = nullptr;

  using Value = std::array<std::uint64_t, 2>;
  std::array<Value, run::kWarpSize> old_values_ = {};  // of an atomic operation's words
  std::uint32_t known_ = 0;                            // lanes that have one
};

}  // namespace count
