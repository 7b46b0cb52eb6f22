// SPDX-License-Identifier: MIT
// Comparing and noting accesses to the 32 words of a granule at once, with vector instructions.
#pragma once

#include <cstdint>

#include "check/shadow.h"

namespace check {

// What a warp's access is compared by.
struct Now {
  Stamp first = 0;    // earlier stamps do not matter
  Stamp block = 0;    // the ordinal alone
  Stamp barrier = 0;  // the tick of the block's last barrier alone: what it did before that is
                      // ordered
  Stamp meant = 0;    // kinds of earlier accesses that are never a race with this one
};

inline constexpr Stamp kThreadBits = Stamp{1023} << kThreadShift;
inline constexpr Stamp kOneThread = Stamp{1} << kThreadShift;  // less differs: the same thread

// Whether the earlier access may matter to the thread of stamp `own`: false only if it is none, of
// no interest, the same thread's, or before a barrier of their block.
inline bool may_matter(Stamp earlier, Stamp own, const Now& now) {
  return earlier >= now.first && (earlier ^ own) >= kOneThread &&
         ((earlier ^ now.block) & ~kThreadBits) >= now.barrier;
}

// The lanes of an access that touch one granule, and the words of it that they touch.
struct Group {
  std::uint32_t granule = 0;  // from the shadow's base on
  std::uint32_t words = 0;
  std::uint32_t lanes = 0;
};
using Groups = std::array<Group, 32>;
using Addresses = std::array<std::uint64_t, 32>;

// Chosen for the processor.
struct GranuleFunctions {
  // Which of the words in `words` may have an unordered access among `earlier`; own[w]: the stamp
  // of the thread that accesses word w now.
  std::uint32_t (*unordered)(const Stamps& earlier, const Stamps& own, std::uint32_t words,
                             const Now& now);
  // The same among all that is recorded.
  std::uint32_t (*unordered_all)(const Record& record, const Stamps& own, std::uint32_t words,
                                 const Now& now);
  // Remembers the reads; returns the words whose reads are in slot 1. Others are in slot 0.
  std::uint32_t (*note_reads)(Record& record, const Stamps& own, std::uint32_t id,
                              std::uint32_t words, const Now& now);
  void (*note_writes)(Record& record, const Stamps& own, std::uint32_t id, std::uint32_t words);
  // own[w] becomes `base` with the lane (first_word + w) >> shift added to its thread.
  void (*number_lanes)(Stamps& own, Stamp base, std::int32_t first_word, std::uint32_t shift);
  // Of each lane the granule, from `base` on, and the words in it that begin at its address.
  void (*number_words)(const Addresses& addresses, std::uint64_t base, std::uint32_t words_per_lane,
                       Ids& granule_of, Ids& words_of);
};
extern const GranuleFunctions granules;

// Which granules the lanes touch; returns how many.
std::uint32_t find_granules(const Addresses& addresses, std::uint32_t lanes, std::uint64_t base,
                            std::uint32_t words_per_lane, Groups& groups);

}  // namespace check
