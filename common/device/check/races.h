// SPDX-License-Identifier: MIT
// Which two accesses are a race, and the findings about them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "check/block_state.h"
#include "check/findings.h"
#include "check/order.h"
#include "check/shadow.h"
#include "run/monitor.h"

namespace check {

class StreamOrder;

// Whether two stores that are a race stored the same value.
enum class Values { kUnknown, kDiffer, kAgree };

class Races {
 public:
  Races(Order& order, const StreamOrder& streams, Instructions& instructions)
      : order_(order), streams_(streams), instructions_(instructions) {}

  void begin_launch() {
    counts_.clear();
    noted_.clear();
  }

  // Whether the two are a race. `now`: the stamp of the access that is made, by `reader`.
  // `may_be_optimistic`: whether it may be a plain read that an atomic verifies.
  bool conflict(Stamp earlier, bool earlier_writes, Stamp now, bool now_writes, bool is_shared,
                bool may_be_optimistic, const Reader& reader) const;

  // Reports the race of the lane's access with the earlier one. Two stores of the same value are
  // none to any result, as a device stores whole words. The policy:
  //   by the same line   no finding: "found = true" by every finder is common, and the line itself
  //                      says that all agree (breadth-first search, "has anything changed?")
  //   by two lines       a finding that says so: that two different lines agree is chance, or a
  //                      rule that no line states
  void report(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
              const run::Access& access, bool is_shared, Values values);
  // The thread waits in a loop for what the earlier access, an atomic one, has written.
  void report_polled(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
                     const run::Access& poll, bool is_shared);

  // Whether a read by this instruction is worth a look at the atomic updates before it.
  bool wants_update(const code::Instruction& read) const {
    return read.guarded_update != 0 && !noted_.contains(read.id);
  }
  // Notes that the lane's plain read and the earlier access, if that is an update, have no order.
  void look_at_update(const Earlier& earlier, Stamp now, const Reader& reader,
                      const BlockState& block, const run::Access& read, bool is_shared);

  // Whether races have been reported in launches of that kernel.
  bool has_races(const std::string& kernel) const { return kernels_.contains(kernel); }

 private:
  void report(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
              const run::Access& now, bool is_shared, bool is_polled, Values values);
  bool is_new(std::uint32_t id, std::uint32_t earlier_id);

  Order& order_;
  const StreamOrder& streams_;
  Instructions& instructions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> counts_;  // by the two instructions
  std::set<std::uint32_t> noted_;  // ids of the plain reads that are noted
  std::set<std::string> kernels_;
};

}  // namespace check
