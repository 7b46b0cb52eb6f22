// SPDX-License-Identifier: MIT
// The cost of a region of basic blocks for one warp, which executes it once. ptxas does not run:
// the cost follows from the PTX and from what ptxas usually makes of it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "code/program.h"
#include "time/instruction_cost.h"
#include "time/path.h"
#include "time/regions.h"
#include "time/work.h"

namespace timing {

// A register, as a place in its frame.
struct Row {
  code::File file = code::File::kNone;
  std::uint32_t offset = 0;
  friend auto operator<=>(const Row&, const Row&) = default;
};

// A warp issues instructions in an order that ptxas chooses within the region: each as soon as its
// operands are there. Between regions a warp waits at the first instruction that needs a result.
struct BlockCost {
  Slots slots = {};
  std::uint32_t issued = 0;
  Path path;  // until its last instruction is issued, without waits for earlier results

  // A piece ends where the block waits: at a barrier, and for a group of copies.
  struct Piece {
    Slots slots = {};
    std::uint32_t wavefronts = 0;  // of conditional accesses
    Path path;
    Lead lead;
  };
  std::vector<Piece> pieces;  // at least one: the last ends with the region

  // Rows that it reads before it writes them, and what follows that read within the region.
  struct Use {
    Row row;
    Path rest;
  };
  std::vector<Use> uses;  // by row
  std::vector<Row> overwrites;
  // Results that come after its end.
  struct Late {
    Row row;
    Path after;
    const code::Instruction* instruction = nullptr;
  };
  std::vector<Late> late;

  // Instructions that take slots, or whose results others of the region wait for. `path` is the sum
  // of their paths.
  struct Part {
    const code::Instruction* instruction = nullptr;
    Pipe pipe = Pipe::kNone;
    std::uint32_t slots = 0;
    Path path;
  };
  std::vector<Part> parts;

  // Loads of neighbouring words of shared memory, by their distance from the first: ptxas makes one
  // of them, if it knows that the first word's address is a multiple of all their bytes.
  struct Wide {
    std::vector<const code::Instruction*> loads;
    std::uint32_t bytes = 0;
  };
  std::vector<Wide> wide;

  // Conditional accesses to shared memory. Each takes a wavefront even if no lane's condition
  // holds.
  std::vector<const code::Instruction*> conditional_accesses;
};

// Of the region that begins with the block `first`.
BlockCost cost_of(const code::Function& function, const Regions& regions, std::uint32_t first);

}  // namespace timing
