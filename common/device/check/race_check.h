// SPDX-License-Identifier: MIT
// Compares a warp's access with earlier ones, and remembers it: which granules it touches, and how.
#pragma once

#include <cstdint>
#include <span>

#include "check/block_state.h"
#include "check/granules.h"
#include "check/order.h"
#include "check/race_pass.h"
#include "check/races.h"
#include "check/shadow.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class RaceCheck {
 public:
  RaceCheck(const Order& order, Races& races) : order_(order), races_(races) {}

  // The access is to memory that is allocated and, where it reads, was written or is reported.
  void check(const BlockState& block, const run::Warp& warp, const run::Access& access,
             const RaceTarget& target) const;
  // The same of some lanes that touch these granules.
  void check(const BlockState& block, const run::Warp& warp, const run::Access& access,
             const RaceTarget& target, std::span<const Group> groups) const;

  // Whether a plain read of the granule's words needs no check at all: all its bytes were written,
  // and no other thread's write matters. Besides, two reads are remembered such that a later writer
  // that races with this read races with one of them.
  bool is_settled(const BlockOrder& block, const Digest& digest, std::uint32_t words,
                  bool is_shared) const {
    return digest.is_written && (words & ~(digest.masks[0] & digest.masks[1])) == 0 &&
           is_past(block, digest.write, first_to_compare(order_, block, is_shared)) &&
           is_settled_pair(block, digest.keys[0], digest.keys[1]);
  }

 private:
  // Whether no thread can be ordered behind both reads and not behind a third one: they are by two
  // blocks, or by two warps of the own block since its last barrier, and there are no fences.
  bool is_settled_pair(const BlockOrder& block, Stamp one, Stamp other) const {
    if (one < order_.first_current() || other < order_.first_current()) return false;
    if (order_.has_partial_orders()) return false;
    if (!same_block(one, other)) return true;
    return ordinal_of(one) == block.ordinal && !same_warp(one, other) &&
           tick_of(one) >= block.barrier_tick && tick_of(other) >= block.barrier_tick;
  }

  static void check_group(const RacePass& pass, const Group& group);
  static void check_contiguous(const RacePass& pass);
  static void check_bytes(const RacePass& pass);
  static void check_long(const RacePass& pass);

  const Order& order_;
  Races& races_;
};

}  // namespace check
