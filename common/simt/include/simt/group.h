// SPDX-License-Identifier: MIT
// cooperative_groups: the group classes' common base, blocks and grids. Everything is inlined into
// the kernel, so that a barrier is reported at the line that calls sync().
#pragma once

#include "simt/builtins.h"
#include "simt/integer_intrinsics.h"
#include "simt/keywords.h"
#include "simt/sync.h"
#include "simt/warp.h"

namespace cooperative_groups {

using size_type = unsigned long long;

// Any group. Functions that take it by value get a slice of the real one, which can still
// synchronise and count.
class thread_group {
 public:
  SIMT_INLINE void sync(simt::BarrierCall call = simt::BarrierCall::current()) const {
    if (kind_ == Kind::kWarpPart) {
      __syncwarp(mask_);
    } else if (kind_ == Kind::kBlock) {
      __syncthreads(call);
    } else {
      simt::sync_grid();
    }
  }

  // This thread's place in the group, and the number of its threads.
  SIMT_INLINE size_type thread_rank() const {
    if (kind_ == Kind::kWarpPart) return static_cast<unsigned>(__popc(mask_ & lanes_below()));
    return kind_ == Kind::kBlock ? rank_in_block() : rank_in_grid();
  }
  SIMT_INLINE size_type num_threads() const {
    if (kind_ == Kind::kWarpPart) return static_cast<unsigned>(__popc(mask_));
    return kind_ == Kind::kBlock ? block_threads() : block_threads() * grid_blocks();
  }
  SIMT_INLINE size_type size() const { return num_threads(); }
  SIMT_INLINE bool is_valid() const { return true; }

  // The group's lanes in its warp; 0 for groups that are not parts of warps.
  SIMT_INLINE unsigned lane_mask() const { return mask_; }

 protected:
  enum class Kind { kWarpPart, kBlock, kGrid };

  SIMT_INLINE thread_group(Kind kind, unsigned mask) : kind_(kind), mask_(mask) {}

  static SIMT_INLINE unsigned lanes_below() { return (1u << simt::lane_id()) - 1; }
  static SIMT_INLINE unsigned rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static SIMT_INLINE size_type block_threads() {
    return size_type{blockDim.x} * blockDim.y * blockDim.z;
  }
  static SIMT_INLINE size_type grid_blocks() {
    return size_type{gridDim.x} * gridDim.y * gridDim.z;
  }
  static SIMT_INLINE size_type block_rank_in_grid() {
    return (size_type{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static SIMT_INLINE size_type rank_in_grid() {
    return block_rank_in_grid() * block_threads() + rank_in_block();
  }

 private:
  friend thread_group tiled_partition(const thread_group& parent, unsigned num_threads);

  Kind kind_;
  unsigned mask_;
};

class thread_block : public thread_group {
 public:
  SIMT_INLINE unsigned thread_rank() const { return rank_in_block(); }
  SIMT_INLINE unsigned num_threads() const { return static_cast<unsigned>(block_threads()); }
  SIMT_INLINE unsigned size() const { return num_threads(); }
  SIMT_INLINE dim3 group_index() const { return blockIdx; }
  SIMT_INLINE dim3 thread_index() const { return threadIdx; }
  SIMT_INLINE dim3 group_dim() const { return blockDim; }
  SIMT_INLINE dim3 dim_threads() const { return blockDim; }
  SIMT_INLINE void sync(simt::BarrierCall call = simt::BarrierCall::current()) const {
    __syncthreads(call);
  }

 private:
  friend SIMT_INLINE thread_block this_thread_block();
  SIMT_INLINE thread_block() : thread_group(Kind::kBlock, 0) {}
};

SIMT_INLINE thread_block this_thread_block() { return thread_block(); }

// Can be synchronised only in a cooperative launch, as is_valid() reports.
class grid_group : public thread_group {
 public:
  SIMT_INLINE bool is_valid() const { return simt::is_cooperative_launch(); }
  SIMT_INLINE size_type num_blocks() const { return grid_blocks(); }
  SIMT_INLINE size_type block_rank() const { return block_rank_in_grid(); }
  SIMT_INLINE dim3 block_index() const { return blockIdx; }
  SIMT_INLINE dim3 dim_blocks() const { return gridDim; }
  SIMT_INLINE dim3 group_dim() const { return gridDim; }
  SIMT_INLINE void sync() const { simt::sync_grid(); }

 private:
  friend SIMT_INLINE grid_group this_grid();
  SIMT_INLINE grid_group() : thread_group(Kind::kGrid, 0) {}
};

SIMT_INLINE grid_group this_grid() { return grid_group(); }

template <class Group>
SIMT_INLINE void sync(const Group& group) {
  group.sync();
}
SIMT_INLINE void sync(const thread_block& group,
                      simt::BarrierCall call = simt::BarrierCall::current()) {
  group.sync(call);
}
// The older name of sync().
template <class Group>
SIMT_INLINE void synchronize(const Group& group) {
  group.sync();
}
SIMT_INLINE void synchronize(const thread_block& group,
                             simt::BarrierCall call = simt::BarrierCall::current()) {
  group.sync(call);
}
template <class Group>
SIMT_INLINE auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
SIMT_INLINE auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
