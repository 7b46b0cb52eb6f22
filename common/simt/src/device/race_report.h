// SPDX-License-Identifier: MIT
// Findings about races, in words.
#pragma once

#include <cstdint>

#include "memory_check.h"
#include "stamp.h"

namespace simt::device {

struct EarlierAccess {
  Stamp stamp;
  std::uint32_t code_offset;  // of its return address in the program
  bool writes;
};

// The running thread's access and the earlier one touch the same bytes, one of them writes, and
// nothing orders them. When both write, the finding waits for the second value (settle_race).
void report_race(const EarlierAccess& earlier, const Access& access, bool is_shared);

// Two writes that are reported need a second look once the later one is done: did they write the
// same value? Then it is no finding: "found = true" by many threads is common and does no harm.
// Call before the next write, and at the kernel's end.
void settle_race();
extern bool race_is_unsettled;

}  // namespace simt::device
