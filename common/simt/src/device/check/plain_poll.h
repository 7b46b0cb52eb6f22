// SPDX-License-Identifier: MIT
// Threads that wait for others by plain loads. A compiler may make such a load once, before the
// loop, which then never ends. If the others write by plain or volatile stores, the two are a race
// in any case. A plain load next to atomic operations is none, since it may be an optimistic one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "check/stamp.h"
#include "run/running.h"

namespace simt::device {

struct WordHistory;

struct PlainPoll {
  std::uintptr_t address;
  const WordHistory* word;
  Stamp write;              // the last one to it so far
  std::uint32_t read_from;  // the code's offset
};

using PlainPolls = std::array<std::optional<PlainPoll>, kLastReads>;

// What the running warp reads again and again, if it has done nothing else for very long. For the
// moment when it is interrupted.
PlainPolls plain_polls();

// Others have run since: reports a race if one of them has written there by an atomic operation.
bool report_answer_to(const PlainPoll& poll);

}  // namespace simt::device
