// SPDX-License-Identifier: MIT
// Findings about races.
#pragma once

#include "check/word_history.h"
#include "program/access.h"

namespace simt::device {

// The running thread's access and the earlier one touch the same bytes, one of them writes, and
// nothing orders them. When both write, the finding waits for the second value (settle_race).
// `is_polled`: the running thread waits in a loop for what the earlier access has written.
void report_race(const EarlierAccess& earlier, const Access& access, bool is_shared,
                 bool is_polled = false);

// Two writes that are reported need a second look once the later one is done: did they store the
// same value? In C++ that is a race all the same; a device stores whole words, so no result can
// show which of the two was last. The policy:
//   by the same line   no finding: "found = true" by every finder is common, and the line itself
//                      says that all agree (breadth-first search, "has anything changed?")
//   by two lines       a finding that says so: that two different lines agree is chance, or a rule
//                      that no line states
// Call before the next write, and at the kernel's end.
void settle_race();

// Whether races have been reported in launches of that kernel.
bool has_races(const char* kernel);

// Forgets what has been reported; for a new launch.
void reset_races();

}  // namespace simt::device
