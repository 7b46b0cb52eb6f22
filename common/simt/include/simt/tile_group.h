// SPDX-License-Identifier: MIT
// Tiles: groups of 1, 2, 4 ... 32 neighbouring lanes, and coalesced groups: the lanes that arrive
// together.
#pragma once

#include "simt/warp_group.h"

namespace cooperative_groups {

// num_threads: a power of two up to the warp's size. Parent is only a name, as in CUDA.
template <unsigned tile_size, class Parent = void>
class thread_block_tile : public warp_group {
  static_assert(tile_size >= 1 && tile_size <= 32 && (tile_size & (tile_size - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16 or 32 threads");

 public:
  static SIMT_INLINE unsigned thread_rank() {
    return static_cast<unsigned>(simt::lane_id()) & (tile_size - 1);
  }
  static constexpr SIMT_INLINE unsigned num_threads() { return tile_size; }
  static constexpr SIMT_INLINE unsigned size() { return tile_size; }

 private:
  template <unsigned size, class Group>
  friend thread_block_tile<size, Group> tiled_partition(const Group& parent);

  static SIMT_INLINE unsigned mask_of_this_tile() {
    const unsigned first = static_cast<unsigned>(simt::lane_id()) & ~(tile_size - 1);
    return (0xffffffffu >> (32 - tile_size)) << first;
  }

  template <class Group>
  explicit SIMT_INLINE thread_block_tile(const Group& parent)
      : warp_group(mask_of_this_tile(), static_cast<unsigned>(parent.thread_rank()) / tile_size,
                   (static_cast<unsigned>(parent.size()) + tile_size - 1) / tile_size) {}

 public:
  // A tile of a block has the same behaviour whatever group it was made from.
  template <class OtherParent>
  SIMT_INLINE thread_block_tile(const thread_block_tile<tile_size, OtherParent>& other)
      : warp_group(other) {}
};

// Cuts a block, or a tile, into tiles.
template <unsigned tile_size, class Group>
SIMT_INLINE thread_block_tile<tile_size, Group> tiled_partition(const Group& parent) {
  return thread_block_tile<tile_size, Group>(parent);
}

class coalesced_group : public warp_group {
 public:
  // For the functions below: programs call them.
  SIMT_INLINE coalesced_group(unsigned mask, unsigned meta_group_rank, unsigned meta_group_size)
      : warp_group(mask, meta_group_rank, meta_group_size) {}
};

// The lanes of the warp that are here together.
SIMT_INLINE coalesced_group coalesced_threads() { return {__activemask(), 0, 1}; }

// Cuts a warp's part into groups of num_threads consecutive ranks; the last may be smaller.
SIMT_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned num_threads) {
  const unsigned rank = parent.thread_rank() / num_threads;
  unsigned mask = 0;
  for (unsigned i = rank * num_threads; i < (rank + 1) * num_threads && i < parent.size(); ++i) {
    mask |= 1u << __fns(parent.lane_mask(), 0, static_cast<int>(i) + 1);
  }
  return {mask, rank, (parent.size() + num_threads - 1) / num_threads};
}

// The same with a size known only at run time, a power of two up to the warp's size.
SIMT_INLINE thread_group tiled_partition(const thread_group& parent, unsigned num_threads) {
  (void)parent;  // blocks and tiles alike consist of aligned lanes
  const unsigned first = static_cast<unsigned>(simt::lane_id()) & ~(num_threads - 1);
  return {thread_group::Kind::kWarpPart, (0xffffffffu >> (32 - num_threads)) << first};
}

// One group for each value of `label`, or of the predicate, among the parent's threads.
template <class Label>
SIMT_INLINE coalesced_group labeled_partition(const warp_group& parent, Label label) {
  const unsigned mask = __match_any_sync(parent.lane_mask(), label);
  // Groups are numbered by their first lanes.
  const unsigned first_lane = mask & (0u - mask);
  const bool is_first = (1u << simt::lane_id()) == first_lane;
  const unsigned first_lanes = __ballot_sync(parent.lane_mask(), is_first);
  return {mask, static_cast<unsigned>(__popc(first_lanes & (first_lane - 1))),
          static_cast<unsigned>(__popc(first_lanes))};
}
SIMT_INLINE coalesced_group binary_partition(const warp_group& parent, bool predicate) {
  const unsigned mask = __ballot_sync(parent.lane_mask(), predicate);
  return {predicate ? mask : parent.lane_mask() & ~mask, predicate ? 1u : 0u, 2};
}

}  // namespace cooperative_groups
