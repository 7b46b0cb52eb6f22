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

struct Finding {
  Kind kind = Kind::kCrash;
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
  std::string kernel;      // readable; empty: none
  std::string message;
};

const char* name_of(Kind kind);  // "out_of_bounds"

// Keeps one finding for each kind and line. All rooms report here.
void report(Finding finding);
std::vector<Finding> take_findings();

}  // namespace report
