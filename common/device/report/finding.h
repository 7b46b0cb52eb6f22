// SPDX-License-Identifier: MIT
// A fault that a check saw, as the judge and `lab run` get it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  kHostWait,
};

// One thread's access, of a race.
struct RacingAccess {
  std::int64_t block = -1;  // its number in the grid; -1: another block than the other access's
  std::uint64_t block_ordinal = 0;  // how many blocks of the launch started before its own
  std::uint32_t thread = 0;         // in its block
  std::string file;
  std::uint32_t line = 0;
  bool writes = false;
};

struct Finding {
  Kind kind = Kind::kCrash;
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
  std::string kernel;      // readable; empty: none
  std::string message;
  std::int32_t thread = -1;  // in its block; -1: no single one
  std::uint32_t error = 0;   // the CUDA error that the host ignored; 0: none
  // Its two accesses, if one launch made both: first the one that the message names first.
  std::vector<RacingAccess> race = {};
};

const char* name_of(Kind kind);  // "out_of_bounds"

// Keeps one finding for each kind, line and error. All rooms report here.
void report(Finding finding);
// What may be wrong, and is no finding: it costs nothing. Keeps one for each line.
void note(Finding finding);
std::vector<Finding> take_notes();
// Called with each that is kept, before report() returns. Empty: nothing.
void set_listener(std::function<void(const Finding&)> listener);
std::vector<Finding> take_findings();
const std::vector<Finding>& findings();  // since the last take_findings()

}  // namespace report
