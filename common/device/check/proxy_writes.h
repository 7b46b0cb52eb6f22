// SPDX-License-Identifier: MIT
// What threads have written to a block's shared memory that the async proxy, through which wgmma
// and bulk copies access memory, may not see yet: fence.proxy.async must come between.
//
// The thread that writes may make the fence, or after threads have met, any other. A meeting counts
// for all threads, so that no right program is reported.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"
#include "run/monitor.h"

namespace check {

class ProxyWrites {
 public:
  // For a fresh block.
  void begin(std::uint32_t size_bytes, std::uint32_t num_threads);

  void threads_meet() { met_ = ++clock_; }
  void fence(const run::Warp& warp, std::uint32_t lanes);
  // Remembers a write, or reports a read of the async proxy that may miss one.
  void look(const run::Warp& warp, const run::Access& access, Findings& findings);

 private:
  static constexpr std::uint32_t kPieceBytes = 16;
  struct Write {
    const code::Instruction* by = nullptr;  // null: the async proxy sees what is there
    std::uint32_t thread = 0;
    std::uint64_t clock = 0;
  };
  bool is_visible(const Write& write) const {
    return write.by == nullptr || fences_[write.thread] > write.clock || write.clock < fenced_;
  }

  std::vector<Write> writes_;          // the last of each piece
  std::vector<std::uint64_t> fences_;  // by thread
  std::uint64_t clock_ = 0;
  std::uint64_t met_ = 0;     // when threads met last
  std::uint64_t fenced_ = 0;  // when they had met last before some fence
};

}  // namespace check
