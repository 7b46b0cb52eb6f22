// SPDX-License-Identifier: MIT
// Global memory that bulk copies from shared memory may not have written yet. The machine has
// copied long before. On a device a copy is complete when its thread has waited for its group
// without `.read`; until then nothing else may use what it writes.
#pragma once

#include <cstdint>
#include <map>

#include "check/findings.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class BulkStores {
 public:
  void clear() { stores_.clear(); }  // for a launch
  // Without a wait they are complete when the kernel is. A block that ends is not followed further.
  void end_block(const run::Block& block);

  // Reports an access to what may not be there, and remembers a bulk copy's own.
  void look(const run::Warp& warp, const run::Access& access, Findings& findings);
  // The lanes' copies are complete, except those of their last groups.
  void complete(const run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left);

 private:
  struct Store {
    std::uint64_t end = 0;
    const run::Block* block = nullptr;
    std::uint32_t thread = 0;
    std::uint32_t group = 0;
    const code::Instruction* by = nullptr;

    bool is_of_one_copy(const Store& other) const {
      return block == other.block && thread == other.thread && group == other.group &&
             by == other.by;
    }
  };

  std::map<std::uint64_t, Store> stores_;  // by where they begin
};

}  // namespace check
