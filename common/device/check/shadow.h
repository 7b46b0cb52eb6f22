// SPDX-License-Identifier: MIT
// What is remembered of each word of memory, in granules of 32 words: a warp's usual access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "check/byte_flags.h"
#include "check/stamp.h"

namespace check {

inline constexpr std::uint32_t kWordBytes = 4;
inline constexpr std::uint32_t kGranuleWords = 32;
inline constexpr std::uint32_t kGranuleBytes = kWordBytes * kGranuleWords;

using Stamps = std::array<Stamp, kGranuleWords>;
using Ids = std::array<std::uint32_t, kGranuleWords>;

// Of each word: its last write and two reads by different threads since, with the ids of their
// instructions. Two reads are enough: the next writer is another thread than one of them.
struct alignas(64) Record {
  Stamps write;
  std::array<Stamps, 2> reads;
  Ids write_id;
  std::array<Ids, 2> read_ids;
};

// Words of a granule that lie side by side in the lanes' order: the lane of word w is
// (first_word + w) >> shift. Packed, as a digest has room for 20 bytes of it and not for 24.
struct [[gnu::packed, gnu::aligned(4)]] Strip {
  Stamp lane_0 = 0;  // what lane 0 would have
  std::uint32_t id = 0;
  std::uint32_t words = 0;
  std::int16_t first_word = 0;
  std::uint8_t shift = 0;
  bool is_write = false;
};

// What is remembered of a granule besides its digest. Most memory is read or written once, by
// neighbours: then one strip says it all, and the record, of ten times the size, needs no memory.
enum class Kept : std::uint8_t { kNothing, kStrip, kRecord };

// A digest of a granule, by which most reads are decided. It may know less than the record, and
// never more.
struct alignas(64) Digest {
  // The last write to any of its words, and the last read, without the thread; the low bit: blocks
  // of other ordinals have made some, too, since its own ordinal was the first that matters.
  Stamp write = 0;
  Stamp read = 0;
  // reads[i] of the words in masks[i] are by the warp and not before the tick in keys[i], of all
  // four bytes, and neither atomic nor volatile.
  std::array<Stamp, 2> keys = {};
  std::array<std::uint32_t, 2> masks = {};
  Strip strip;  // if that is kept
  Kept kept = Kept::kNothing;
  bool is_written = false;  // all its bytes, as the flags say; false: ask them
};
static_assert(sizeof(Digest) == 64);
inline constexpr Stamp kMixedBit = 1;

// The records of a matrix's column would lie a large power of two apart, in few sets of the
// processor's caches. So one is left out after each 16.
[[gnu::always_inline]] inline constexpr std::size_t skewed(std::size_t granule) {
  return granule + granule / 16;
}

// The shadow of one stretch of memory, from an address on that is a multiple of kGranuleBytes.
struct Shadow {
  std::uint64_t base = 0;
  Record* records = nullptr;
  Digest* digests = nullptr;
  ByteFlags written;  // by address

  std::size_t granule_of(std::uint64_t address) const {
    return skewed((address - base) / kGranuleBytes);
  }
  static std::uint32_t word_of(std::uint64_t address) {
    return static_cast<std::uint32_t>(address / kWordBytes % kGranuleWords);
  }
  Digest& digest_of(std::uint64_t address) const { return digests[granule_of(address)]; }
  // From now on a record is kept of the granule, a number from granule_of().
  Record& record(std::size_t granule) const {
    if (digests[granule].kept != Kept::kRecord) make_record(granule);
    return records[granule];
  }

 private:
  void make_record(std::size_t granule) const;
};

// An earlier access, as a finding names it.
struct Earlier {
  Stamp stamp = 0;
  std::uint32_t id = 0;  // of the instruction
  bool writes = false;
};

}  // namespace check
