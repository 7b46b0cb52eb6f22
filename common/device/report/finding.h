// SPDX-License-Identifier: MIT
// A fault that a check saw, as the judge and `lab run` get it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace report {

enum class Kind : std::uint8_t {
  kOutOfBounds,
  kMisaligned,
  kUninitializedRead,
  kRace,
  kBarrierDivergence,
  kDeadlock,
  kHostPointer,
  kLaunchError,
  kLeak,
  kCrash,
  kOutOfMemory,
  kTimeout,
};

// One thread's access, of a race.
struct RacingAccess {
  std::int64_t block = -1;   // its number in the grid; -1: another block than the other access's
  std::uint32_t thread = 0;  // in its block
  std::uint32_t line = 0;
  bool writes = false;
};

struct Finding {
  Kind kind = Kind::kCrash;
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
  std::string kernel;      // readable; empty: none
  std::string message;
  std::int32_t thread = -1;             // in its block; -1: no single one
  std::vector<RacingAccess> race = {};  // its two accesses, if one launch made both
};

const char* name_of(Kind kind);  // "out_of_bounds"

// Keeps one finding for each kind and line. All rooms report here.
void report(Finding finding);
std::vector<Finding> take_findings();
const std::vector<Finding>& findings();  // since the last take_findings()

}  // namespace report
