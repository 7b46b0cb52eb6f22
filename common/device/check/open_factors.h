// SPDX-License-Identifier: MIT
// Shared memory of a block that products by wgmma may still read: their warps have not waited. A
// write to it is a race, whatever orders the write and the wait.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"
#include "run/monitor.h"

namespace check {

class OpenFactors {
 public:
  // For a fresh block.
  void begin(std::uint32_t size_bytes) {
    pieces_.assign((size_bytes + kPieceBytes - 1) / kPieceBytes, {});
  }
  void open(const run::Warp& warp, const run::Access& factors);
  void close(const run::Access& factors);
  // Reports a write to what is open.
  void look(const run::Warp& warp, const run::Access& access, Findings& findings) const;

 private:
  static constexpr std::uint32_t kPieceBytes = 16;
  struct Piece {
    const code::Instruction* product = nullptr;  // the last one
    std::uint32_t warp = 0;
    std::uint32_t num_open = 0;
  };
  // Visits the pieces of a lane that lie in shared memory.
  template <class Pieces, class Visit>
  static void for_each_piece(Pieces& pieces, const run::Access& access, Visit visit);

  std::vector<Piece> pieces_;
};

}  // namespace check
