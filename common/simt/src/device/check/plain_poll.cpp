// SPDX-License-Identifier: MIT
#include "check/plain_poll.h"

#include <algorithm>
#include <iterator>

#include "check/block_checks.h"
#include "check/memory_check.h"
#include "check/race_shadow.h"
#include "check/races.h"
#include "program/access.h"
#include "run/running.h"
#include "run/schedule.h"

namespace simt::device {
namespace {

// The running warp's at this address.
std::optional<PlainPoll> poll_at(std::uintptr_t address) {
  const WordHistory* const word = find_word(address);
  if (word == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < std::size(word->reads); ++i) {
    const Stamp read = word->reads[i];
    if (read != 0 && same_warp(read, running.stamp) && (read & (kAtomicBit | kVolatileBit)) == 0) {
      return PlainPoll{address, word, word->write, word->read_pcs[i]};
    }
  }
  return std::nullopt;
}

}  // namespace

PlainPolls plain_polls() {
  const bool is_long = running.steps - running.warp_turn_begin >= step_limit() / 2;
  PlainPolls polls;
  if (running.launch == nullptr || checks_made != Checks::kAll || !is_long) return polls;
  std::ranges::transform(running.last_reads, polls.begin(), poll_at);
  return polls;
}

bool report_answer_to(const PlainPoll& poll) {
  const Stamp write = poll.word->write;
  if (write == poll.write || (write & kAtomicBit) == 0 || same_thread(write, running.stamp)) {
    return false;
  }
  const Access access = {
      .address = poll.address, .size_bytes = 1, .reads = true, .pc = unpack_pc(poll.read_from)};
  const bool is_shared = running.checks->shared.region_of(poll.address) != nullptr;
  report_race({write, poll.word->write_pc, true}, access, is_shared, true);
  return true;
}

}  // namespace simt::device
