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
// Of each word of a granule, the stamp of the thread that accesses it now. The second half takes
// what belongs to no word.
using Own = std::array<Stamp, 2 * kGranuleWords>;

struct Area {  // of addresses
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
};
using Groups = std::array<Group, 32>;
using Addresses = std::array<std::uint64_t, 32>;

// Chosen for the processor.
struct GranuleFunctions {
  // Which of the words in `words` may have an unordered access among `earlier`; own[w]: the stamp
  // of the thread that accesses word w now.
  std::uint32_t (*unordered)(const Stamps& earlier, const Own& own, std::uint32_t words,
                             const Now& now);
  // Remembers the reads; returns the words whose reads are in slot 1. Others are in slot 0.
  std::uint32_t (*note_reads)(Record& record, const Own& own, std::uint32_t id, std::uint32_t words,
                              const Now& now);
  void (*replace)(Stamps& stamps, Ids& ids, const Own& own, std::uint32_t id, std::uint32_t words);
  std::uint32_t (*differ)(const Own& one, const Own& other);  // which words
  void (*clear)(Stamps& stamps, std::uint32_t words);
  // own[w] becomes `base` with the lane (first_word + w) >> shift added to its thread.
  void (*number_lanes)(Own& own, Stamp base, std::int32_t first_word, std::uint32_t shift);
  // Of the words that the lanes touch, first[w] and last[w] become the stamps of the first and the
  // last lane at word w. `base`: the stamp of lane 0.
  void (*place_lanes)(const Addresses& addresses, std::uint32_t lanes, std::uint32_t words_per_lane,
                      Stamp base, Own& first, Own& last);
  // Of each lane the granule in the area, and the words in it. Returns the lanes whose access is in
  // the area, and at a multiple of its size.
  std::uint32_t (*number_words)(const Addresses& addresses, const Area& area,
                                std::uint32_t size_bytes, Ids& granule_of, Ids& words_of);
  // The lanes whose granule is this one; the words of these lanes.
  std::uint32_t (*lanes_at)(const Ids& granule_of, std::uint32_t granule);
  std::uint32_t (*words_at)(const Ids& words_of, std::uint32_t lanes);
};
extern const GranuleFunctions granules;

// Which granules the lanes touch, each with size_bytes, a power of two from 4 to 16; returns how
// many. 0 if some lane's access is not in the area, or not at a multiple of its size.
std::uint32_t find_granules(const Addresses& addresses, std::uint32_t lanes, const Area& area,
                            std::uint32_t size_bytes, Groups& groups);

}  // namespace check
