// SPDX-License-Identifier: MIT
// Reductions over the threads of a block: each warp by shuffles, then the first thread over warps.
#pragma once

#include "cub/warp/warp_reduce.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};

namespace detail {

// The lanes of the calling thread's warp in a block of that many threads.
template <int kBlockThreads>
SIMT_INLINE Lanes lanes_of_warp() {
  const int thread = linear_thread();
  const int warp_begin = thread / 32 * 32;
  const int count = kBlockThreads - warp_begin < 32 ? kBlockThreads - warp_begin : 32;
  return {0, count, thread - warp_begin};
}

// Of the thread's own items, in order.
template <class T, int kItems, class Op>
SIMT_INLINE T reduce_items(T (&items)[kItems], Op op) {
  T result = items[0];
  for (int i = 1; i < kItems; ++i) result = op(result, items[i]);
  return result;
}

}  // namespace detail

// Results are those of the first thread alone. A barrier must come before the storage is used
// again.
template <class T, int kX, BlockReduceAlgorithm kAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockReduce {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  static constexpr int kWarps = (kThreads + 31) / 32;
  struct Storage {
    T of_warps[kWarps];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit BlockReduce(TempStorage& storage) : storage_(storage.room) {}

  template <class Op>
  SIMT_INLINE T Reduce(T input, Op op) {
    return Reduce(input, op, kThreads);
  }
  template <class Op>
  SIMT_INLINE T Reduce(T input, Op op, int num_valid) {
    const detail::Lanes lanes = detail::lanes_of_warp<kThreads>();
    const int warp = detail::linear_thread() / 32;
    const int valid = num_valid - 32 * warp;
    T result = detail::reduce_lanes(lanes, input, valid < lanes.count ? valid : lanes.count, op);
    if (lanes.lane == 0) storage_.of_warps[warp] = result;
    __syncthreads();
    if (detail::linear_thread() == 0) {
      for (int other = 1; other < kWarps && 32 * other < num_valid; ++other) {
        result = op(result, storage_.of_warps[other]);
      }
    }
    return result;
  }
  template <int kItems, class Op>
  SIMT_INLINE T Reduce(T (&items)[kItems], Op op) {
    return Reduce(detail::reduce_items(items, op), op);
  }
  SIMT_INLINE T Sum(T input) { return Reduce(input, cub::Sum()); }
  SIMT_INLINE T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
  template <int kItems>
  SIMT_INLINE T Sum(T (&items)[kItems]) {
    return Reduce(items, cub::Sum());
  }

 private:
  Storage& storage_;
};

}  // namespace cub
