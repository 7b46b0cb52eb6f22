// SPDX-License-Identifier: MIT
// Tiles: groups of 1, 2, 4 ... 32 neighbouring lanes, and coalesced groups: the lanes that arrive
// together.
#pragma once

#include "lockstep/warp_group.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

// A tile in one warp: tile_size is a power of two.
template <unsigned int tile_size>
class warp_tile : public warp_group {
  static_assert(tile_size >= 1 && tile_size <= 32 && (tile_size & (tile_size - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16 or 32 threads");

 public:
  static LOCKSTEP_DEVICE unsigned int thread_rank() { return lane_id() & (tile_size - 1); }
  static constexpr LOCKSTEP_DEVICE unsigned int num_threads() { return tile_size; }
  static constexpr LOCKSTEP_DEVICE unsigned int size() { return tile_size; }

  template <class T>
  LOCKSTEP_DEVICE T shfl(T value, int rank) const {
    return in_words(value, [=](auto word) LOCKSTEP_LAMBDA {
      return __shfl_sync(lane_mask(), word, rank, kWidth);
    });
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_up(T value, unsigned int delta) const {
    return in_words(value, [=](auto word) LOCKSTEP_LAMBDA {
      return __shfl_up_sync(lane_mask(), word, delta, kWidth);
    });
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_down(T value, unsigned int delta) const {
    return in_words(value, [=](auto word) LOCKSTEP_LAMBDA {
      return __shfl_down_sync(lane_mask(), word, delta, kWidth);
    });
  }
  template <class T>
  LOCKSTEP_DEVICE T shfl_xor(T value, unsigned int mask) const {
    return in_words(value, [=](auto word) LOCKSTEP_LAMBDA {
      return __shfl_xor_sync(lane_mask(), word, static_cast<int>(mask), kWidth);
    });
  }

 protected:
  template <class Group>
  explicit LOCKSTEP_DEVICE warp_tile(const Group& parent)
      : warp_group(mask_of_this_tile(), static_cast<unsigned int>(parent.thread_rank()) / tile_size,
                   (static_cast<unsigned int>(parent.size()) + tile_size - 1) / tile_size) {}

 private:
  static constexpr int kWidth = static_cast<int>(tile_size);

  static LOCKSTEP_DEVICE unsigned int mask_of_this_tile() {
    if constexpr (tile_size == 32) return 0xffffffffu;
    const unsigned int first = lane_id() & ~(tile_size - 1);
    return (0xffffffffu >> (32 - tile_size)) << first;
  }
};

template <unsigned int tile_size>
class block_tile;

// Parent is only a name, as in CUDA: a tile behaves the same whatever group it was made from.
template <unsigned int tile_size, class Parent = void>
class thread_block_tile
    : public std::conditional_t<(tile_size <= 32), warp_tile<tile_size>, block_tile<tile_size>> {
  using Base = std::conditional_t<(tile_size <= 32), warp_tile<tile_size>, block_tile<tile_size>>;

 public:
  template <class OtherParent>
  LOCKSTEP_DEVICE thread_block_tile(const thread_block_tile<tile_size, OtherParent>& other)
      : Base(static_cast<const Base&>(other)) {}

 private:
  template <unsigned int size, class Group>
  friend LOCKSTEP_DEVICE thread_block_tile<size, Group> tiled_partition(const Group& parent);
  struct FromParent {};
  template <class Group>
  LOCKSTEP_DEVICE thread_block_tile(FromParent, const Group& parent) : Base(parent) {}
};

// Cuts a block, or a tile, into tiles.
template <unsigned int tile_size, class Group>
LOCKSTEP_DEVICE thread_block_tile<tile_size, Group> tiled_partition(const Group& parent) {
  using Tile = thread_block_tile<tile_size, Group>;
  return Tile(typename Tile::FromParent{}, parent);
}

class coalesced_group : public warp_group {
 public:
  // For the functions below: programs call them.
  LOCKSTEP_DEVICE coalesced_group(unsigned int mask, unsigned int meta_group_rank,
                                  unsigned int meta_group_size)
      : warp_group(mask, meta_group_rank, meta_group_size) {}
};

// The lanes of the warp that are here together.
LOCKSTEP_DEVICE coalesced_group coalesced_threads() { return {__activemask(), 0, 1}; }

// Cuts a warp's part into groups of num_threads consecutive ranks; the last may be smaller.
LOCKSTEP_DEVICE coalesced_group tiled_partition(const coalesced_group& parent,
                                                unsigned int num_threads) {
  const unsigned int rank = parent.thread_rank() / num_threads;
  unsigned int mask = 0;
  for (unsigned int i = rank * num_threads; i < (rank + 1) * num_threads && i < parent.size();
       ++i) {
    mask |= 1u << __fns(parent.lane_mask(), 0, static_cast<int>(i) + 1);
  }
  return {mask, rank, (parent.size() + num_threads - 1) / num_threads};
}

// The same with a size known only at run time, a power of two up to the warp's size.
LOCKSTEP_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned int num_threads) {
  (void)parent;  // blocks and tiles alike consist of aligned lanes
  const unsigned int first = thread_group::lane_id() & ~(num_threads - 1);
  return {thread_group::Kind::kWarpPart, (0xffffffffu >> (32 - num_threads)) << first};
}

// One group for each value of `label`, or of the predicate, among the parent's threads.
template <class Label>
LOCKSTEP_DEVICE coalesced_group labeled_partition(const warp_group& parent, Label label) {
  const unsigned int mask = __match_any_sync(parent.lane_mask(), label);
  // Groups are numbered by their first lanes.
  const unsigned int first_lane = mask & (0u - mask);
  const bool is_first = (1u << __nvvm_read_ptx_sreg_laneid()) == first_lane;
  const unsigned int first_lanes = __ballot_sync(parent.lane_mask(), is_first);
  return {mask, static_cast<unsigned int>(__popc(first_lanes & (first_lane - 1))),
          static_cast<unsigned int>(__popc(first_lanes))};
}
LOCKSTEP_DEVICE coalesced_group binary_partition(const warp_group& parent, bool predicate) {
  const unsigned int mask = __ballot_sync(parent.lane_mask(), predicate);
  return {predicate ? mask : parent.lane_mask() & ~mask, predicate ? 1u : 0u, 2};
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
