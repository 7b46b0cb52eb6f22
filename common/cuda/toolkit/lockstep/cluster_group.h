// SPDX-License-Identifier: MIT
// cooperative_groups: the blocks of a cluster, which can access each other's shared memory.
#pragma once

#include "lockstep/group.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

class cluster_group {
 public:
  struct arrival_token {};

  static LOCKSTEP_DEVICE void sync() { barrier_wait(barrier_arrive()); }
  static LOCKSTEP_DEVICE arrival_token barrier_arrive() {
    __nvvm_barrier_cluster_arrive();
    return {};
  }
  static LOCKSTEP_DEVICE void barrier_wait() { __nvvm_barrier_cluster_wait(); }
  static LOCKSTEP_DEVICE void barrier_wait(arrival_token&&) { barrier_wait(); }

  static LOCKSTEP_DEVICE unsigned int block_rank() {
    return __nvvm_read_ptx_sreg_cluster_ctarank();
  }
  static LOCKSTEP_DEVICE unsigned int num_blocks() {
    return __nvvm_read_ptx_sreg_cluster_nctarank();
  }
  static LOCKSTEP_DEVICE dim3 block_index() {
    return {__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
            __nvvm_read_ptx_sreg_cluster_ctaid_z()};
  }
  static LOCKSTEP_DEVICE dim3 dim_blocks() {
    return {__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
            __nvvm_read_ptx_sreg_cluster_nctaid_z()};
  }
  static LOCKSTEP_DEVICE unsigned int num_threads() { return num_blocks() * block_threads(); }
  static LOCKSTEP_DEVICE unsigned int size() { return num_threads(); }
  static LOCKSTEP_DEVICE unsigned int thread_rank() {
    const unsigned int in_block =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return block_rank() * block_threads() + in_block;
  }

  // The variable of another block of the cluster that `address` names in this one; and the block
  // that such an address belongs to.
  template <class T>
  static LOCKSTEP_DEVICE T* map_shared_rank(T* address, unsigned int rank) {
    return static_cast<T*>(__nvvm_mapa(const_cast<void*>(static_cast<const void*>(address)), rank));
  }
  static LOCKSTEP_DEVICE unsigned int query_shared_rank(const void* address) {
    return __nvvm_getctarank(const_cast<void*>(address));
  }

 private:
  static LOCKSTEP_DEVICE unsigned int block_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
};

LOCKSTEP_DEVICE cluster_group this_cluster() { return {}; }

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
