// SPDX-License-Identifier: MIT
// Groups that are parts of one warp: tiles and coalesced threads.
// Ranks count the group's own lanes.
#pragma once

#include <cstring>
#include <type_traits>

#include "simt/copy_registers.h"
#include "simt/group.h"

namespace cooperative_groups {

class warp_group : public thread_group {
 public:
  SIMT_INLINE void sync() const { __syncwarp(lane_mask()); }
  SIMT_INLINE unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(lane_mask() & lanes_below()));
  }
  SIMT_INLINE unsigned num_threads() const { return static_cast<unsigned>(__popc(lane_mask())); }
  SIMT_INLINE unsigned size() const { return num_threads(); }

  // Which of the groups that were made together this is, and how many there are.
  SIMT_INLINE unsigned meta_group_rank() const { return meta_group_rank_; }
  SIMT_INLINE unsigned meta_group_size() const { return meta_group_size_; }

  // Shuffles by rank. A source outside the group gives the thread's own value.
  template <class T>
  SIMT_INLINE T shfl(T value, unsigned rank) const {
    return shuffle(value, lane_of(rank % num_threads()));
  }
  template <class T>
  SIMT_INLINE T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shuffle(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  SIMT_INLINE T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shuffle(value, lane_of(rank + delta < num_threads() ? rank + delta : rank));
  }
  template <class T>
  SIMT_INLINE T shfl_xor(T value, unsigned mask) const {
    const unsigned rank = thread_rank();
    return shuffle(value, lane_of((rank ^ mask) < num_threads() ? rank ^ mask : rank));
  }

  SIMT_INLINE int any(int predicate) const { return __any_sync(lane_mask(), predicate); }
  SIMT_INLINE int all(int predicate) const { return __all_sync(lane_mask(), predicate); }

  // Bit i stands for the thread of rank i.
  SIMT_INLINE unsigned ballot(int predicate) const {
    return packed(__ballot_sync(lane_mask(), predicate));
  }
  template <class T>
  SIMT_INLINE unsigned match_any(T value) const {
    return packed(__match_any_sync(lane_mask(), value));
  }
  template <class T>
  SIMT_INLINE unsigned match_all(T value, int& predicate) const {
    return packed(__match_all_sync(lane_mask(), value, &predicate));
  }

 protected:
  SIMT_INLINE warp_group(unsigned mask, unsigned meta_group_rank, unsigned meta_group_size)
      : thread_group(Kind::kWarpPart, mask),
        meta_group_rank_(meta_group_rank),
        meta_group_size_(meta_group_size) {}

 private:
  SIMT_INLINE int lane_of(unsigned rank) const {
    if (is_contiguous()) return static_cast<int>(first_lane() + rank);
    return static_cast<int>(__fns(lane_mask(), 0, static_cast<int>(rank) + 1));
  }

  // The bits of `lanes` at the group's lanes, moved together.
  SIMT_INLINE unsigned packed(unsigned lanes) const {
    if (is_contiguous()) return lanes >> first_lane();
    return simt::extract_bits(lanes, lane_mask());
  }

  SIMT_INLINE unsigned first_lane() const {
    return static_cast<unsigned>(__ffs(static_cast<int>(lane_mask()))) - 1;
  }
  // A tile is.
  SIMT_INLINE bool is_contiguous() const {
    const unsigned upper = lane_mask() >> first_lane();
    return (upper & (upper + 1)) == 0;
  }

  // Values of any size travel in pieces that one shuffle carries.
  template <class T>
  SIMT_INLINE T shuffle(T value, int source_lane) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32);
    if constexpr (simt::WarpValue<T>) {
      return simt::shuffle(lane_mask(), value, source_lane);
    } else {
      unsigned words[(sizeof(T) + 3) / 4] = {};
      simt::copy_registers(words, &value, sizeof(T));
      for (unsigned& word : words) word = simt::shuffle(lane_mask(), word, source_lane);
      simt::copy_registers(&value, words, sizeof(T));
      return value;
    }
  }

  unsigned meta_group_rank_;
  unsigned meta_group_size_;
};

}  // namespace cooperative_groups
