// SPDX-License-Identifier: MIT
// One access of a warp, as it is compared with earlier ones word by word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "check/block_state.h"
#include "check/granules.h"
#include "check/order.h"
#include "check/races.h"
#include "check/shadow.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

// The stretch of memory that it goes to: device memory, or a block's shared memory.
struct RaceTarget {
  const Shadow* shadow = nullptr;
  std::uint64_t size_bytes = 0;
  const std::byte* memory = nullptr;  // of address `shadow->base`
  bool is_shared = false;
};

// Earlier stamps are of no interest. In shared memory those of other blocks are of other memory,
// unless blocks form a cluster.
inline Stamp first_to_compare(const Order& order, const BlockOrder& block, bool is_shared) {
  const bool is_own = is_shared && !block.is_in_cluster;
  return is_own ? Stamp{block.ordinal} << kOrdinalShift : order.first_to_compare();
}

// Whether none of a granule's writes, or reads, matters to the block any more: the last of them
// comes before what is compared, or all are its own, and before its last barrier.
inline bool is_past(const BlockOrder& block, Stamp last, Stamp first) {
  return last < first || (ordinal_of(last) == block.ordinal && (last & kMixedBit) == 0 &&
                          tick_of(last) < block.barrier_tick);
}

// Also a store that is relaxed or volatile; not an atomic update.
inline bool is_store(const run::Access& access) { return access.writes && !access.is_atomic; }

class RacePass {
 public:
  RacePass(const Order& order, Races& races, const BlockState& block, const run::Warp& warp,
           const run::Access& access, const RaceTarget& target);

  const run::Access& access() const { return access_; }
  const RaceTarget& target() const { return target_; }
  Stamp first_lane() const { return own_; }  // the stamp of lane 0 for all bytes of a word

  // The words of one granule, each by one thread, own[word]: reports races, and remembers.
  void check(std::uint64_t granule, std::uint32_t words, const Own& own) const {
    compare(granule, words, own);
    note(granule, words, own);
  }
  // The same of words that lie side by side, where no record of the granule is needed before or
  // after; false: check() has to do it.
  bool check_strip(std::uint64_t granule, std::uint32_t words, std::int64_t first_word,
                   std::uint32_t shift) const;
  // The same, where several lanes are at the words in `again`, from first[word] to last[word].
  void check(std::uint64_t granule, std::uint32_t words, std::uint32_t again, const Own& first,
             const Own& last) const;
  // One word, by one or several lanes.
  void check_word(std::uint64_t granule, std::uint32_t word, std::uint32_t lanes) const;
  // Bytes of one word, by one lane.
  void check_bytes(std::uint32_t lane, std::uint64_t begin, std::uint64_t end) const;

  // Two lanes store to one word by one instruction: a race, unless both store the same.
  void look_at_meeting(std::uint32_t lane, std::uint32_t other, std::uint32_t word) const;
  // Whether lanes of one word may know of different earlier accesses: parts of the warp have met.
  bool lanes_differ() const { return !block_.order.warps[warp_of(key_)].known.empty(); }
  void look_at(std::uint64_t granule, std::uint32_t word, std::uint32_t lane) const {
    look_at(record_of(granule), word, stamp_of(lane), true);
  }

 private:
  Stamp stamp_of(std::uint32_t lane) const { return own_ + (Stamp{lane} << kThreadShift); }
  static std::uint32_t lane_of(Stamp own) { return thread_of(own) % run::kWarpSize; }
  Record& record_of(std::uint64_t granule) const { return target_.shadow->record(skewed(granule)); }
  Digest& digest_of(std::uint64_t granule) const {
    return target_.shadow->digests[skewed(granule)];
  }
  bool is_past(Stamp last) const { return check::is_past(block_.order, last, now_.first); }
  bool compares_reads() const { return access_.writes && (own_ & kAtomicBit) == 0; }

  void compare(std::uint64_t granule, std::uint32_t words, const Own& own) const;
  void note(std::uint64_t granule, std::uint32_t words, const Own& own) const;
  void learn_written(std::uint64_t granule) const;
  void digest_reads(Digest& digest, std::uint32_t first, std::uint32_t second) const;
  void digest_slot(Digest& digest, int slot, std::uint32_t words) const;
  void digest_write(Digest& digest, std::uint32_t words) const;
  void digest_last(Stamp& last) const;

  void look_at(const Record& record, std::uint32_t word, Stamp own, bool with_write) const;
  void report(const Earlier& earlier, Stamp own) const;
  const std::byte* value_of(std::uint32_t lane, std::uint32_t offset) const;
  Values compare_with_memory(std::uint32_t lane) const;

  Races& races_;
  const BlockState& block_;
  const run::Access& access_;
  const RaceTarget& target_;
  Now now_;
  bool wants_update_ = false;  // it is a plain read that guards an atomic update
  bool may_be_optimistic_ = true;
  Stamp own_;
  Stamp key_;  // the warp's, as digests have it
};

}  // namespace check
