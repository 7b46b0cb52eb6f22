// SPDX-License-Identifier: MIT
// What a basic block costs a warp that executes it once: read off its PTX.
#pragma once

#include <array>
#include <cstdint>

#include "code/program.h"

namespace timing {

// Where a multiprocessor executes an instruction.
enum class Pipe : std::uint8_t {
  kNone,
  kFp32,
  kInteger,
  kFp64,
  kSpecial,
  kExchange,
  kMemory,
  kOther
};
inline constexpr std::size_t kNumPipes = std::size_t(Pipe::kOther) + 1;

// A path of instructions that wait for each other: cycles on the multiprocessor, and loads from
// global memory, whose latency is not the program's.
struct Path {
  std::uint64_t cycles = 0;
  std::uint64_t loads = 0;

  static constexpr std::uint64_t kNominalLoadCycles = 600;  // to compare paths
  std::uint64_t length() const { return cycles + kNominalLoadCycles * loads; }
  Path& operator+=(const Path& more) {
    cycles += more.cycles;
    loads += more.loads;
    return *this;
  }
};
inline const Path& longer(const Path& a, const Path& b) { return a.length() < b.length() ? b : a; }

struct BlockCost {
  std::array<std::uint32_t, kNumPipes> slots = {};  // instructions as a device issues them
  Path path;                 // the longest, of those whose results the block uses
  bool has_pending = false;  // it loads something that only later blocks use

  std::uint32_t issued() const;
};

// Folds what ptxas folds: see costs.cpp.
BlockCost cost_of(const code::Function& function, const code::Block& block);

}  // namespace timing
