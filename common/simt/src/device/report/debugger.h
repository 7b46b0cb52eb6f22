// SPDX-License-Identifier: MIT
// What a debugger is told of a running program, and what it tells the emulator. `./lab debug` reads
// these symbols and the functions of hooks/debug_state.cpp by name, and nothing else: keep both
// sides alike (grader/src/lockstep_grader/student/debug/inside). Without a debugger nothing of
// this happens but a test of a global for each finding.
#pragma once

#include <string>

#include "simt/finding.h"
#include "simt/vector_types.h"

extern "C" {

// Set by the debugger once it has a breakpoint at simt_debug_stop().
extern int simt_debug_attached;

// Called with a finding in simt_debug_said, as lines:
//   finding KIND
//   final                             the thread cannot go on: its kernel ends
//   accused BLOCK THREAD PC           three numbers each, and where; only if it is not the thread
//                                     that runs
//   other BLOCK THREAD PC reads|writes   the other party, if there is one
//   message TEXT
extern const char* simt_debug_said;
void simt_debug_stop();
}

namespace simt::device {

struct Party {
  uint3 block;
  uint3 thread;
  const void* pc;  // a return address, as everywhere
};

// The thread that the next finding accuses and, if it takes two, the other one. The accesses of a
// race may have been some time ago.
void name_accused(const Party& accused);
void name_other(const Party& other, const char* verb);
void forget_parties();  // the finding is none

// Stops for the debugger, if there is one. The same message again is no news.
enum class Then { kGoesOn, kEndsKernel };
void tell_debugger(FindingKind kind, const std::string& message, Then then = Then::kGoesOn);

}  // namespace simt::device
