// SPDX-License-Identifier: MIT
// Counts what kernels do: a monitor. docs/counters.md defines each counter.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "count/counters.h"
#include "count/publications.h"
#include "protocol/wire_counters.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace count {

class Watcher final : public run::Monitor {
 public:
  void set_counting(bool on) { is_counting_ = on; }
  bool is_counting() const { return is_counting_; }

  // What was counted since the last call, with kernels in order of their first launch.
  std::vector<wire::KernelCounters> take();

  // A copy by the host: traffic of a kernel "cudaMemcpy". Addresses of the device's side; 0: the
  // host's.
  void copy(std::string_view file, std::uint32_t line, std::uint64_t to, std::uint64_t from,
            std::uint64_t size_bytes);

  bool wants_blocks() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void access(run::Warp& warp, run::Access& access) override;
  void wrote(run::Warp& warp, const run::Access& access) override;
  void block_meets(run::Block& block, const code::Instruction& instruction) override;
  void threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                    const code::Instruction& instruction) override;
  void grid_meets(run::Launch& launch) override;
  void phase_completes(run::Block& block, const code::Instruction& instruction,
                       std::uint32_t expected) override;
  void copy_begins(run::Warp& warp, const run::Access& destination) override;
  void copies_committed(run::Warp& warp, std::uint32_t lanes) override;
  void copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;
  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;
  void diverges(run::Warp& warp, const code::Instruction& instruction, std::uint32_t taken,
                std::uint32_t not_taken) override;
  void warp_operation(run::Warp& warp, std::uint32_t lanes,
                      const code::Instruction& instruction) override;
  void arrives_at_barrier(run::Warp& warp, std::uint32_t lanes,
                          const code::Instruction& instruction) override;

 private:
  static constexpr std::size_t kNumPatterns = 2 * 3;  // of each space, reads, writes, atomics

  struct Tally {  // of an instruction
    CounterSet counters;
    std::array<wire::Pattern, kNumPatterns> patterns;
    const code::Instruction* instruction = nullptr;
  };
  struct Kernel {
    wire::KernelCounters totals;  // without counters and lines
    CounterSet counters;          // by kernel only
    const code::Program* program = nullptr;
    std::unordered_map<std::uint32_t, Tally> tallies;  // by instruction
    std::map<std::pair<std::string, std::uint32_t>, CounterSet> host_lines;
  };
  struct WarpState {
    std::uint64_t num_passes = 0;
    // The words of global memory that its last polling request read, and how many such requests
    // have read others than the one before. Waiting for a word counts once.
    std::vector<std::uint64_t> polled;
    std::uint64_t num_polls = 0;
    std::array<Chain, run::kWarpSize> chains;
    std::uint32_t reading = 0;  // lanes of its last asynchronous copy that read something
    struct Copy {
      std::uint8_t lane;
      std::uint32_t batch;
      std::uint32_t instruction;
      bool was_left;
    };
    std::vector<Copy> copies;
    std::array<std::uint32_t, run::kWarpSize> batches = {};
  };
  struct BlockState {
    bool is_resident = false;
    std::uint64_t num_sectors = 0;
    std::uint64_t num_atomics = 0;
    std::uint64_t num_barriers = 0;
    const code::Instruction* last_barrier = nullptr;
    std::vector<WarpState> warps;
  };

  Kernel& kernel(std::string_view name);
  Tally& tally(const code::Instruction& instruction);
  BlockState& state(const run::Block& block) { return blocks_[block.slot]; }
  WarpState& state(const run::Warp& warp) { return blocks_[warp.block->slot].warps[warp.id]; }
  int count_request(run::Warp& warp, Tally& here, const run::Access& access);
  void keep_pattern(const run::Warp& warp, Tally& here, const run::Access& access, int cost);
  void count_exposed(Tally& here, const run::Access& access);
  void count_poll(run::Warp& warp, Tally& here, const run::Access& access);
  void count_barrier(run::Block& block, const code::Instruction& instruction);
  void publish(run::Warp& warp, Tally& here, const run::Access& access);
  static wire::KernelCounters finish(const Kernel& kernel);

  bool is_counting_ = false;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  Kernel* current_ = nullptr;
  std::vector<Tally*> cache_;       // by instruction, of the current kernel
  std::vector<BlockState> blocks_;  // by slot
  std::uint64_t most_sectors_ = 0;
  std::uint64_t most_passes_ = 0;
  std::unordered_set<std::uint64_t> exposed_words_;
  Publications publications_;
  std::array<std::uint64_t, run::kWarpSize> old_values_ = {};  // before an atomic operation
};

}  // namespace count
