// SPDX-License-Identifier: MIT
// A block's shared memory as the async proxy accesses it: wgmma and bulk copies go through that.
//
// They may not see yet what threads have written: fence.proxy.async must come between. The thread
// that writes may make the fence, or after threads have met, any other. A meeting counts for all
// threads, so that no right program is reported.
//
// And they may read until their warp or thread has waited for them. A write to what they read
// before that is a race, whatever orders the write and the wait.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"
#include "run/monitor.h"

namespace check {

class AsyncProxy {
 public:
  // For a fresh block.
  void begin(std::uint32_t size_bytes, std::uint32_t num_threads);

  void threads_meet() { met_ = ++clock_; }
  void fence(const run::Warp& warp, std::uint32_t lanes);
  // A product or a copy begins to read, or has read.
  void open(const run::Warp& warp, const run::Access& source);
  void close(const run::Access& source);

  // Remembers a write. Reports a read of the async proxy that may miss one, and a write to what may
  // still be read.
  void look(const run::Warp& warp, const run::Access& access, Findings& findings);

 private:
  static constexpr std::uint32_t kPieceBytes = 16;
  struct Write {
    const code::Instruction* by = nullptr;  // null: the async proxy sees what is there
    std::uint32_t thread = 0;
    std::uint64_t clock = 0;
  };
  struct Piece {
    Write write;                                // the last one
    const code::Instruction* reader = nullptr;  // the last product or copy that reads it
    std::uint32_t reading_thread = 0;           // of a product, the first of its warp
    std::uint32_t num_open = 0;                 // products and copies that may still read it
  };

  bool is_visible(const Write& write) const {
    return write.by == nullptr || fences_[write.thread] > write.clock || write.clock < fenced_;
  }
  // Visits the pieces of each lane that lie in shared memory.
  template <class Visit>
  void for_each_piece(const run::Access& access, Visit visit);

  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> fences_;  // by thread
  std::uint64_t clock_ = 0;
  std::uint64_t met_ = 0;     // when threads met last
  std::uint64_t fenced_ = 0;  // when they had met last before some fence
};

}  // namespace check
