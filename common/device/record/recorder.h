// SPDX-License-Identifier: MIT
// Records one launch, step by step, for `./lab trace`: a monitor. It comes before the checks, so
// that the access of which they find something is in the recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/operations.h"
#include "record/recording.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace record {

class Recorder final : public run::Monitor {
 public:
  // Called with the recording when its launch has ended. Where more blocks or steps follow than it
  // shows, also before them: what follows may take so long that the program is ended first.
  using Listener = std::function<void(const std::string& text)>;

  // Which launch of the wanted kernel: the first; or the first in which something is found, and
  // else the first.
  enum class Which : std::uint8_t { kFirst, kFirstWithFinding };

  // Records a launch from now on of `kernel`, with or without its template arguments and
  // namespaces; of any kernel if it is empty. Without a listener nothing is recorded.
  void record_launch(std::string_view kernel, Listener listener, Which which = Which::kFirst);
  bool is_waiting_or_recording() const { return listener_ != nullptr; }

  // The kernels that were launched since the last record_launch, in order, each once.
  const std::vector<std::string>& launches_seen() const { return launches_; }

  bool wants_each_op() const override { return true; }
  bool wants_blocks() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void access(run::Warp& warp, run::Access& access) override;
  void wrote(run::Warp& warp, const run::Access& access) override;
  void copy_arrives(run::Warp& warp, const run::Access& destination) override;
  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;
  void executes(run::Warp& warp, const code::Op& op, std::uint32_t lanes) override;
  void warp_operation(run::Warp& warp, std::uint32_t lanes,
                      const code::Instruction& instruction) override;
  void arrives_at_barrier(run::Warp& warp, std::uint32_t lanes,
                          const code::Instruction& instruction) override;
  void block_meets(run::Block& block, const code::Instruction& instruction) override;
  void threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                    const code::Instruction& instruction, const void* barrier) override;
  void grid_meets(run::Launch& launch) override;

 private:
  // What is kept for a warp while it runs.
  struct WarpRecord {
    std::uint32_t shown_lanes = 0;  // of the last step
    code::Program::Line shown_place;
    std::uint32_t live = 0;
    std::uint32_t waiting = 0;
    LaneWords given = {};  // to the operation that comes
  };
  struct BlockRecord {
    run::Block* block = nullptr;  // while it runs
    code::Program::Line barrier;  // at which its threads arrived last
    std::vector<WarpRecord> warps;
  };

  // Whether the block is shown and there is room for its moments.
  bool is_shown(const run::Block& block) const;
  BlockRecord& record_of(const run::Block& block) { return blocks_[block.linear]; }
  WarpRecord& record_of(const run::Warp& warp) {
    return blocks_[warp.block->linear].warps[warp.id];
  }
  code::Program::Line place_of(const code::Instruction& instruction) const;
  Moment moment_of(MomentKind kind, const run::Block& block) const;
  Moment moment_of(MomentKind kind, const run::Warp& warp, std::uint32_t lanes,
                   code::Program::Line place);
  void keep(Moment moment);
  void keep_step(run::Warp& warp, std::uint32_t lanes, code::Program::Line place);
  void keep_access(run::Warp& warp, const run::Access& access);
  // Before anything of this warp is kept: what has happened since the last event.
  void look_around(run::Warp& warp);
  void keep_findings();
  void keep_leavers();
  void tell_if_complete();
  void tell();

  std::string wanted_;
  Listener listener_;
  Which which_ = Which::kFirst;
  bool is_settled_ = false;    // no later launch is wanted
  bool has_recorded_ = false;  // a launch has ended that was recorded
  std::vector<std::string> launches_;

  bool is_recording_ = false;
  bool is_told_ = false;                    // see tell_if_complete()
  const code::Program* program_ = nullptr;  // of the launch that is or was recorded
  Recording recording_;
  std::vector<BlockRecord> blocks_;  // those that are shown
  std::size_t num_ended_ = 0;        // of them
  std::size_t findings_seen_ = 0;
  run::Warp* last_warp_ = nullptr;  // whose event was the last one
  std::uint32_t last_lanes_ = 0;
  std::size_t last_access_ = 0;  // its index in `moments`
  std::size_t writing_ = 0;      // moments of the access that has begun are from here on
};

}  // namespace record
