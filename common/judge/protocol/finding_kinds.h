// SPDX-License-Identifier: MIT
// The kinds of findings by name: judge::kind::kWrongResult is kind::kWrongResult; docs/checkers.md
// describes those that the device reports. The grader's FindingKind and the schemas list the same
// names, and a test compares them.
#pragma once

#include <algorithm>
#include <string_view>

namespace judge::kind {

inline constexpr const char* kCompileError = "compile_error";
inline constexpr const char* kTodo = "todo";
inline constexpr const char* kWrongResult = "wrong_result";
inline constexpr const char* kInputModified = "input_modified";
inline constexpr const char* kOutputUnwritten = "output_unwritten";
inline constexpr const char* kOutOfBounds = "out_of_bounds";
inline constexpr const char* kMisaligned = "misaligned";
inline constexpr const char* kUninitializedRead = "uninitialized_read";
inline constexpr const char* kRace = "race";
inline constexpr const char* kBarrierDivergence = "barrier_divergence";
inline constexpr const char* kDeadlock = "deadlock";
inline constexpr const char* kHostPointer = "host_pointer";
inline constexpr const char* kLaunchError = "launch_error";
inline constexpr const char* kLeak = "leak";
inline constexpr const char* kBudget = "budget";
inline constexpr const char* kSlow = "slow";
inline constexpr const char* kCrash = "crash";
inline constexpr const char* kTimeout = "timeout";
inline constexpr const char* kOutOfMemory = "out_of_memory";
inline constexpr const char* kForbidden = "forbidden";
inline constexpr const char* kHostWait = "host_wait";

inline constexpr std::string_view kAll[] = {
    kCompileError, kTodo,        kWrongResult,       kInputModified, kOutputUnwritten,
    kOutOfBounds,  kMisaligned,  kUninitializedRead, kRace,          kBarrierDivergence,
    kDeadlock,     kHostPointer, kLaunchError,       kLeak,          kBudget,
    kSlow,         kCrash,       kTimeout,           kOutOfMemory,   kForbidden,
    kHostWait};

inline bool is_known(std::string_view name) {
  return std::ranges::find(kAll, name) != std::end(kAll);
}

}  // namespace judge::kind
