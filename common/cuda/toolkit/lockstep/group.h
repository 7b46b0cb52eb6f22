// SPDX-License-Identifier: MIT
// cooperative_groups: the group classes' common base, blocks and grids. Everything is inlined into
// the kernel, so that a barrier is reported at the line that calls sync().
#pragma once

#include "lockstep/builtins.h"
#include "lockstep/integer_intrinsics.h"
#include "lockstep/keywords.h"
#include "lockstep/machine_calls.h"
#include "lockstep/sync.h"
#include "lockstep/warp.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

using size_type = unsigned long long;

// Any group. Functions that take it by value get a slice of the real one, which can still
// synchronise and count.
class thread_group {
 public:
  LOCKSTEP_DEVICE void sync() const {
    if (kind_ == Kind::kWarpPart) {
      __syncwarp(mask_);
    } else if (kind_ == Kind::kBlock) {
      __syncthreads();
    } else {
      __lockstep_grid_sync();
    }
  }

  // This thread's place in the group, and the number of its threads.
  LOCKSTEP_DEVICE size_type thread_rank() const {
    if (kind_ == Kind::kWarpPart) return static_cast<unsigned int>(__popc(mask_ & lanes_below()));
    return kind_ == Kind::kBlock ? rank_in_block() : rank_in_grid();
  }
  LOCKSTEP_DEVICE size_type num_threads() const {
    if (kind_ == Kind::kWarpPart) return static_cast<unsigned int>(__popc(mask_));
    return kind_ == Kind::kBlock ? block_threads() : block_threads() * grid_blocks();
  }
  LOCKSTEP_DEVICE size_type size() const { return num_threads(); }
  LOCKSTEP_DEVICE bool is_valid() const { return true; }

  // The group's lanes in its warp; 0 for groups that are not parts of warps.
  LOCKSTEP_DEVICE unsigned int lane_mask() const { return mask_; }

 protected:
  enum class Kind { kWarpPart, kBlock, kGrid };

  LOCKSTEP_DEVICE thread_group(Kind kind, unsigned int mask) : kind_(kind), mask_(mask) {}

  static LOCKSTEP_DEVICE unsigned int lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
  static LOCKSTEP_DEVICE unsigned int lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
  static LOCKSTEP_DEVICE unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static LOCKSTEP_DEVICE size_type block_threads() {
    return size_type{blockDim.x} * blockDim.y * blockDim.z;
  }
  static LOCKSTEP_DEVICE size_type grid_blocks() {
    return size_type{gridDim.x} * gridDim.y * gridDim.z;
  }
  static LOCKSTEP_DEVICE size_type block_rank_in_grid() {
    return (size_type{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static LOCKSTEP_DEVICE size_type rank_in_grid() {
    return block_rank_in_grid() * block_threads() + rank_in_block();
  }

 private:
  friend LOCKSTEP_DEVICE thread_group tiled_partition(const thread_group& parent,
                                                      unsigned int num_threads);

  Kind kind_;
  unsigned int mask_;
};

class thread_block : public thread_group {
 public:
  LOCKSTEP_DEVICE unsigned int thread_rank() const { return rank_in_block(); }
  LOCKSTEP_DEVICE unsigned int num_threads() const {
    return static_cast<unsigned int>(block_threads());
  }
  LOCKSTEP_DEVICE unsigned int size() const { return num_threads(); }
  LOCKSTEP_DEVICE dim3 group_index() const { return blockIdx; }
  LOCKSTEP_DEVICE dim3 thread_index() const { return threadIdx; }
  LOCKSTEP_DEVICE dim3 group_dim() const { return blockDim; }
  LOCKSTEP_DEVICE dim3 dim_threads() const { return blockDim; }
  LOCKSTEP_DEVICE void sync() const { __syncthreads(); }

 private:
  friend LOCKSTEP_DEVICE thread_block this_thread_block();
  LOCKSTEP_DEVICE thread_block() : thread_group(Kind::kBlock, 0) {}
};

LOCKSTEP_DEVICE thread_block this_thread_block() { return thread_block(); }

// Can be synchronised only in a cooperative launch, as is_valid() reports.
class grid_group : public thread_group {
 public:
  LOCKSTEP_DEVICE bool is_valid() const { return __lockstep_is_cooperative() != 0; }
  LOCKSTEP_DEVICE size_type num_blocks() const { return grid_blocks(); }
  LOCKSTEP_DEVICE size_type block_rank() const { return block_rank_in_grid(); }
  LOCKSTEP_DEVICE dim3 block_index() const { return blockIdx; }
  LOCKSTEP_DEVICE dim3 dim_blocks() const { return gridDim; }
  LOCKSTEP_DEVICE dim3 group_dim() const { return gridDim; }
  LOCKSTEP_DEVICE void sync() const { __lockstep_grid_sync(); }

 private:
  friend LOCKSTEP_DEVICE grid_group this_grid();
  LOCKSTEP_DEVICE grid_group() : thread_group(Kind::kGrid, 0) {}
};

LOCKSTEP_DEVICE grid_group this_grid() { return grid_group(); }

template <class Group>
LOCKSTEP_DEVICE void sync(const Group& group) {
  group.sync();
}
// The older name of sync().
template <class Group>
LOCKSTEP_DEVICE void synchronize(const Group& group) {
  group.sync();
}
template <class Group>
LOCKSTEP_DEVICE auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
LOCKSTEP_DEVICE auto group_size(const Group& group) {
  return group.size();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
