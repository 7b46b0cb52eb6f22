// SPDX-License-Identifier: MIT
// Groups that are parts of one warp: tiles and coalesced threads.
// Ranks count the group's own lanes.
#pragma once

#include <type_traits>

#include "lockstep/group.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

class warp_group : public thread_group {
 public:
  LOCKSTEP_DEVICE void sync() const { __syncwarp(lane_mask()); }
  LOCKSTEP_DEVICE unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(lane_mask() & lanes_below()));
  }
  LOCKSTEP_DEVICE unsigned int num_threads() const {
    return static_cast<unsigned int>(__popc(lane_mask()));
  }
  LOCKSTEP_DEVICE unsigned int size() const { return num_threads(); }

  // Which of the groups that were made together this is, and how many there are.
  LOCKSTEP_DEVICE unsigned int meta_group_rank() const { return meta_group_rank_; }
  LOCKSTEP_DEVICE unsigned int meta_group_size() const { return meta_group_size_; }

  // Shuffles by rank. A source outside the group gives the thread's own value.
  template <class T>
  LOCKSTEP_DEVICE T shfl(T value, unsigned int rank) const {
    return shuffle(value, lane_of(rank % num_threads()));
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shuffle(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shuffle(value, lane_of(rank + delta < num_threads() ? rank + delta : rank));
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_xor(T value, unsigned int mask) const {
    const unsigned int rank = thread_rank();
    return shuffle(value, lane_of((rank ^ mask) < num_threads() ? rank ^ mask : rank));
  }

  LOCKSTEP_DEVICE int any(int predicate) const { return __any_sync(lane_mask(), predicate); }
  LOCKSTEP_DEVICE int all(int predicate) const { return __all_sync(lane_mask(), predicate); }

  // Bit i stands for the thread of rank i.
  LOCKSTEP_DEVICE unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(lane_mask(), predicate));
  }
  template <class T>
  LOCKSTEP_DEVICE unsigned int match_any(T value) const {
    return packed(__match_any_sync(lane_mask(), value));
  }
  template <class T>
  LOCKSTEP_DEVICE unsigned int match_all(T value, int& predicate) const {
    return packed(__match_all_sync(lane_mask(), value, &predicate));
  }

 protected:
  // Values of any size travel in pieces that one shuffle carries.
  template <class T, class Shuffle>
  static LOCKSTEP_DEVICE T in_words(T value, Shuffle shuffle_word) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32);
    if constexpr (lockstep::kIsShuffled<T>) {
      return shuffle_word(value);
    } else {
      unsigned int words[(sizeof(T) + 3) / 4] = {};
      __builtin_memcpy(words, &value, sizeof(T));
      for (unsigned int& word : words) word = shuffle_word(word);
      __builtin_memcpy(&value, words, sizeof(T));
      return value;
    }
  }

  LOCKSTEP_DEVICE warp_group(unsigned int mask, unsigned int meta_group_rank,
                             unsigned int meta_group_size)
      : thread_group(Kind::kWarpPart, mask),
        meta_group_rank_(meta_group_rank),
        meta_group_size_(meta_group_size) {}

 private:
  LOCKSTEP_DEVICE int lane_of(unsigned int rank) const {
    if (is_contiguous()) return static_cast<int>(first_lane() + rank);
    return static_cast<int>(__fns(lane_mask(), 0, static_cast<int>(rank) + 1));
  }

  // The bits of `lanes` at the group's lanes, moved together.
  LOCKSTEP_DEVICE unsigned int packed(unsigned int lanes) const {
    if (is_contiguous()) return lanes >> first_lane();
    unsigned int result = 0, rank = 0;
    for (unsigned int rest = lane_mask(); rest != 0; rest &= rest - 1, ++rank) {
      if ((lanes & rest & (0u - rest)) != 0) result |= 1u << rank;
    }
    return result;
  }

  LOCKSTEP_DEVICE unsigned int first_lane() const {
    return static_cast<unsigned int>(__ffs(static_cast<int>(lane_mask()))) - 1;
  }
  // A tile is.
  LOCKSTEP_DEVICE bool is_contiguous() const {
    const unsigned int upper = lane_mask() >> first_lane();
    return (upper & (upper + 1)) == 0;
  }

  template <class T>
  LOCKSTEP_DEVICE T shuffle(T value, int source_lane) const {
    return in_words(value, [=](auto word) LOCKSTEP_LAMBDA {
      return __shfl_sync(lane_mask(), word, source_lane);
    });
  }

  unsigned int meta_group_rank_;
  unsigned int meta_group_size_;
};

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
