// SPDX-License-Identifier: MIT
// Barriers of a block, memory fences, time and the end of a kernel.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

// __syncthreads() is a function of clang.
LOCKSTEP_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
LOCKSTEP_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
LOCKSTEP_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }

// Barriers by number, for all threads of the block, or for some warps of it.
LOCKSTEP_DEVICE void __barrier_sync(unsigned int number) { __nvvm_barrier_sync(number); }
LOCKSTEP_DEVICE void __barrier_sync_count(unsigned int number, unsigned int num_threads) {
  __nvvm_barrier_sync_cnt(number, num_threads);
}

LOCKSTEP_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
LOCKSTEP_DEVICE void __threadfence() { __nvvm_membar_gl(); }
LOCKSTEP_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

LOCKSTEP_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }
LOCKSTEP_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
LOCKSTEP_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

LOCKSTEP_DEVICE void __trap() { __asm__ volatile("trap;"); }
LOCKSTEP_DEVICE void __brkpt() { __asm__ volatile("brkpt;"); }

// The cluster of blocks.
LOCKSTEP_DEVICE void __cluster_barrier_arrive() { __nvvm_barrier_cluster_arrive(); }
LOCKSTEP_DEVICE void __cluster_barrier_arrive_relaxed() { __nvvm_barrier_cluster_arrive_relaxed(); }
LOCKSTEP_DEVICE void __cluster_barrier_wait() { __nvvm_barrier_cluster_wait(); }
LOCKSTEP_DEVICE dim3 __clusterIdx() {
  return {__nvvm_read_ptx_sreg_clusterid_x(), __nvvm_read_ptx_sreg_clusterid_y(),
          __nvvm_read_ptx_sreg_clusterid_z()};
}
LOCKSTEP_DEVICE dim3 __clusterDim() {
  return {__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
          __nvvm_read_ptx_sreg_cluster_nctaid_z()};
}
LOCKSTEP_DEVICE dim3 __clusterRelativeBlockIdx() {
  return {__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
          __nvvm_read_ptx_sreg_cluster_ctaid_z()};
}
LOCKSTEP_DEVICE dim3 __clusterGridDimInClusters() {
  return {__nvvm_read_ptx_sreg_nclusterid_x(), __nvvm_read_ptx_sreg_nclusterid_y(),
          __nvvm_read_ptx_sreg_nclusterid_z()};
}
LOCKSTEP_DEVICE unsigned int __clusterRelativeBlockRank() {
  return __nvvm_read_ptx_sreg_cluster_ctarank();
}
LOCKSTEP_DEVICE unsigned int __clusterSizeInBlocks() {
  return __nvvm_read_ptx_sreg_cluster_nctarank();
}
LOCKSTEP_DEVICE void* __cluster_map_shared_rank(const void* address, unsigned int rank) {
  return __nvvm_mapa(const_cast<void*>(address), rank);
}
LOCKSTEP_DEVICE unsigned int __cluster_query_shared_rank(const void* address) {
  return __nvvm_getctarank(const_cast<void*>(address));
}

// Programmatic dependent launch: waits for the launch before this one; lets the next one begin.
LOCKSTEP_DEVICE void cudaGridDependencySynchronize() {
  __asm__ volatile("griddepcontrol.wait;" ::: "memory");
}
LOCKSTEP_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
  __asm__ volatile("griddepcontrol.launch_dependents;");
}

#endif
