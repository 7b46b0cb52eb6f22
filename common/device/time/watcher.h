// SPDX-License-Identifier: MIT
// Collects what a model of time needs to know of launches: a monitor. docs/time.md has the model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "run/monitor.h"
#include "run/warp.h"
#include "time/block_cost.h"
#include "time/features.h"
#include "time/regions.h"
#include "time/traffic.h"
#include "time/warp_time.h"

namespace timing {

class Watcher final : public run::Monitor {
 public:
  void set_watching(bool on) { is_watching_ = on; }
  bool is_watching() const { return is_watching_; }
  // Since the last call, in order of their first launch. To be called before a program that ran
  // goes away.
  std::vector<Shape> take();

  // Copies and fills that the host issues, as launches of kernels with these names; and their rows,
  // with the addresses of the device. 0: memory of the host, or a value.
  void begin_copy(const char* name);
  void copy_row(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes);

  bool wants_blocks() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void access(run::Warp& warp, run::Access& access) override;
  bool wants_locals() const override { return true; }
  void touches_local(run::Warp& warp, const run::Access& access) override;
  void block_meets(run::Block& block, const code::Instruction& instruction) override;
  void threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                    const code::Instruction& instruction, const void* barrier) override;
  void grid_meets(run::Launch& launch) override;
  void cluster_meets(std::span<run::Block* const> blocks) override;
  void phase_completes(run::Block& block, const code::Instruction& instruction,
                       std::uint32_t expected, const void* barrier) override;
  void releases(run::Warp& warp, std::uint32_t lanes, run::Scope scope,
                const void* barrier) override;
  void acquires(run::Warp& warp, std::uint32_t lanes, run::Scope scope,
                const void* barrier) override;
  void multiplies(run::Warp& warp, const code::Instruction& instruction,
                  std::uint64_t multiply_adds) override;
  void copies_committed(run::Warp& warp, std::uint32_t lanes) override;
  void copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;
  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;

 private:
  struct BlockState {
    bool is_resident = false;
    std::vector<WarpTime> warps;
    Work work;   // since the last barrier of all its warps
    Path begin;  // when that was
    BlockTraffic traffic;
    Path arrivals;  // of threads and of bulk copies at barrier objects: the last one's
    Path phase;     // when the last phase of a barrier object was complete
  };
  // What is known of a region of the program, and how often the launch has executed it.
  // Of an instruction that ptxas joins with others, or makes conditional.
  struct Joined {
    std::uint32_t first = 0;  // its id
    std::uint32_t bytes = 0;  // that all of them load; 0: it is joined with none
    bool is_conditional = false;
  };
  struct Executed {
    bool is_first = false;  // block of its region, which has the cost of all
    BlockCost cost;
    std::uint64_t times = 0;
  };

  Shape& shape_of(const run::Launch& launch);
  const Regions& regions_of(const code::Function& function);
  Executed& executed(const run::Warp& warp, const code::Block& block);
  void add_wait(const code::Instruction* instruction, const Path& path);
  bool is_in_wide_load(const code::Instruction& at) const;     // and not the first of its loads
  std::uint64_t shared_wavefronts(const run::Access& access);  // besides those of its region
  std::uint64_t wavefronts_of(const run::Access& access);
  Path join(BlockState& block);
  // The instruction: that makes them wait; null: several do.
  void meet(std::span<WarpTime* const> warps, const code::Instruction* instruction);
  void end_block(BlockState& block);
  void add_lines(const code::Program& program);

  bool is_watching_ = false;
  std::vector<std::unique_ptr<Shape>> shapes_;
  Shape* copies_ = nullptr;  // of the copy whose rows come
  Traffic traffic_;

  // Of the launch.
  Shape* shape_ = nullptr;  // null: it is not watched
  std::vector<BlockState> states_;
  Path longest_;
  const code::Program* program_ = nullptr;  // that the following are of
  std::map<const code::Function*, Regions> regions_;
  std::vector<std::unique_ptr<Executed>> executed_;  // by their first instruction
  std::vector<Joined> joined_;                       // by instruction
  std::vector<Executed*> used_;                      // those of the launch
  // What warps wait for between regions: results, and others at barriers.
  std::vector<Path> waits_;                        // by instruction
  std::vector<const code::Instruction*> awaited_;  // those of the launch
};

}  // namespace timing
