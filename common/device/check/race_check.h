// SPDX-License-Identifier: MIT
// Compares a warp's access with earlier ones, word by word, and remembers it.
#pragma once

#include <cstdint>
#include <span>

#include "check/block_state.h"
#include "check/granules.h"
#include "check/order.h"
#include "check/races.h"
#include "check/shadow.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class RaceCheck {
 public:
  RaceCheck(const Order& order, Races& races) : order_(order), races_(races) {}

  // One access of a warp to one stretch of memory: device memory, or a block's shared memory.
  struct Target {
    const Shadow* shadow;
    std::uint64_t size_bytes;
    const std::byte* memory;  // of address `shadow->base`
    bool is_shared;
  };

  // The access is to memory that is allocated and, where it reads, was written or is reported.
  void check(const BlockState& block, const run::Warp& warp, const run::Access& access,
             const Target& target) const;
  // The same of some lanes that touch these granules.
  void check(const BlockState& block, const run::Warp& warp, const run::Access& access,
             const Target& target, std::span<const Group> groups) const;

  // Whether a plain read of the granule's words needs no check at all: all its bytes were written,
  // no other thread's write matters, and two reads are remembered of which each later writer that
  // races with this one races, too.
  bool is_settled(const BlockOrder& block, const Digest& digest, std::uint32_t words,
                  bool is_shared) const {
    return digest.is_written != 0 && (words & ~(digest.masks[0] & digest.masks[1])) == 0 &&
           is_past(block, digest.write, first(block, is_shared)) &&
           is_settled_pair(block, digest.keys[0], digest.keys[1]);
  }

 private:
  struct Pass;

  // Earlier stamps are of no interest. In shared memory those of other blocks are of other memory,
  // unless blocks form a cluster.
  Stamp first(const BlockOrder& block, bool is_shared) const {
    const Stamp own = Stamp{block.ordinal} << kOrdinalShift;
    return is_shared && !block.is_in_cluster ? own : order_.first_to_compare();
  }
  // Whether none of a granule's writes, or reads, matters to the block any more: the last of them
  // comes before what is compared, or all are its own, and before its last barrier.
  static bool is_past(const BlockOrder& block, Stamp last, Stamp first) {
    return last < first || (ordinal_of(last) == block.ordinal && (last & kMixedBit) == 0 &&
                            tick_of(last) < block.barrier_tick);
  }
  bool is_settled_pair(const BlockOrder& block, Stamp one, Stamp other) const {
    if (one < order_.first_current() || other < order_.first_current()) return false;
    if (order_.has_fences()) return false;
    if (!same_block(one, other)) return true;
    return ordinal_of(one) == block.ordinal && !same_warp(one, other) &&
           tick_of(one) >= block.barrier_tick && tick_of(other) >= block.barrier_tick;
  }

  void compare(const Pass& pass, std::uint64_t granule, std::uint32_t words, const Own& own) const;
  static void digest_reads(const Pass& pass, Digest& digest, std::uint32_t first,
                           std::uint32_t second);
  static void note_written(const Shadow& shadow, std::uint64_t granule);
  void note(const Pass& pass, std::uint64_t granule, std::uint32_t words, const Own& own) const;
  void check_group(const Pass& pass, const Group& group) const;
  void check_word(const Pass& pass, std::uint64_t granule, std::uint32_t word,
                  std::uint32_t lanes) const;
  void look_at_lanes_between(const Pass& pass, const Record& record, std::uint32_t word,
                             std::uint32_t lanes) const;
  void prefetch(const Target& target, const Group& group) const;
  void look_at_meetings(const Pass& pass, const Group& group, const Own& first) const;
  void check_bytes(const Pass& pass) const;
  void check_contiguous(const Pass& pass) const;
  void check_long(const Pass& pass) const;
  Pass begin(const BlockState& block, const run::Warp& warp, const run::Access& access,
             const Target& target) const;
  void look_at(const Pass& pass, const Record& record, std::uint32_t word, Stamp own,
               bool with_write = true) const;
  void report(const Pass& pass, const Earlier& earlier, Stamp own) const;
  void look_at_meeting(const Pass& pass, std::uint32_t lane, std::uint32_t other,
                       std::uint32_t word) const;

  const Order& order_;
  Races& races_;
};

}  // namespace check
