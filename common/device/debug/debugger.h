// SPDX-License-Identifier: MIT
// A monitor that stops, for as long as the front end looks around. It has the last place among the
// monitors; of what the checks find it hears before the access happens.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "debug/channel.h"
#include "debug/command.h"
#include "debug/spots.h"
#include "debug/view.h"
#include "report/finding.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace debug {

class Debugger final : public run::Monitor {
 public:
  // Hears all findings from now on. One at a time.
  explicit Debugger(Channel& channel);
  ~Debugger() override;
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  // Before the program begins: breakpoints.
  void greet();

  bool wants_each_op() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void executes(run::Warp& warp, const code::Op& op, std::uint32_t lanes) override;

 private:
  enum class Kind : std::uint8_t { kStep, kNext, kUntil, kFinish, kAdvance };

  // A thread that takes a step. Meanwhile breakpoints stop no other one.
  struct Step {
    Kind kind = Kind::kStep;
    run::Warp* warp = nullptr;
    std::uint32_t lane = 0;
    std::size_t depth = 0;  // where it began
    std::uint32_t file = 0, line = 0;
    Address to;  // of kAdvance
  };
  struct Place {
    run::Warp* warp = nullptr;
    std::uint32_t lane = 0;
  };

  void found(const report::Finding& finding);
  bool is_at_end_of_step(const run::Warp& warp, const code::Instruction& instruction) const;
  void stop(Place at, const std::string& reason, std::uint32_t lanes, const std::string& more = "");
  void serve();                       // until the front end has the program go on
  bool obey(const Command& command);  // whether to go on
  bool begin_step(const Command& command);
  std::string answer_to(const Command& command);
  std::optional<Place> place_of(const Command& command) const;
  std::string other_json(const report::Finding& finding) const;

  Channel& channel_;
  run::Launch* launch_ = nullptr;  // that runs
  std::optional<Spots> spots_;     // of its program
  std::set<Address> breaks_;
  Blocks blocks_;
  std::vector<std::uint64_t> started_;  // blocks, in their order
  std::uint64_t num_ended_ = 0;
  Place now_;                // whose instruction was the last one
  std::uint32_t lanes_ = 0;  // of it
  std::optional<Step> step_;
  bool is_interrupted_ = false;
  std::uint64_t num_ops_ = 0;
};

}  // namespace debug
