// SPDX-License-Identifier: MIT
// What an operation makes of each of a block's items and the one before it, or behind it.
#pragma once

#include "cub/util_type.cuh"

namespace cub {

// SubtractLeft: the block's first item stays as it is, unless the tile's predecessor is given.
// SubtractRight: the same of the last item and the successor. Items from num_valid on stay.
template <class T, int kX, int kY = 1, int kZ = 1, int kArch = 0>
class BlockAdjacentDifference {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  struct Storage {
    T firsts[kThreads];
    T lasts[kThreads];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage.room) {}

  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractLeft(T (&input)[kItems], Output (&output)[kItems], Op op) {
    subtract_left(input, output, op, kThreads * kItems, nullptr);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractLeft(T (&input)[kItems], Output (&output)[kItems], Op op,
                                T predecessor) {
    subtract_left(input, output, op, kThreads * kItems, &predecessor);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractLeftPartialTile(T (&input)[kItems], Output (&output)[kItems], Op op,
                                           int num_valid) {
    subtract_left(input, output, op, num_valid, nullptr);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractLeftPartialTile(T (&input)[kItems], Output (&output)[kItems], Op op,
                                           int num_valid, T predecessor) {
    subtract_left(input, output, op, num_valid, &predecessor);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractRight(T (&input)[kItems], Output (&output)[kItems], Op op) {
    subtract_right(input, output, op, kThreads * kItems, nullptr);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractRight(T (&input)[kItems], Output (&output)[kItems], Op op, T successor) {
    subtract_right(input, output, op, kThreads * kItems, &successor);
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void SubtractRightPartialTile(T (&input)[kItems], Output (&output)[kItems], Op op,
                                            int num_valid) {
    subtract_right(input, output, op, num_valid, nullptr);
  }

 private:
  // `input` and `output` may be one array, so the items are taken from its far end. An operation
  // may take its arguments by reference, so none is constant.
  template <int kItems, class Output, class Op>
  SIMT_INLINE void subtract_left(T (&input)[kItems], Output (&output)[kItems], Op op, int num_valid,
                                 T* predecessor) {
    const int thread = detail::linear_thread();
    storage_.lasts[thread] = input[kItems - 1];
    __syncthreads();
    for (int i = kItems - 1; i >= 0; --i) {
      const int place = thread * kItems + i;
      T item = input[i];
      if (place >= num_valid || (place == 0 && predecessor == nullptr)) {
        output[i] = item;
      } else if (place == 0) {
        output[i] = op(item, *predecessor);
      } else {
        output[i] = op(item, i > 0 ? input[i - 1] : storage_.lasts[thread - 1]);
      }
    }
  }
  template <int kItems, class Output, class Op>
  SIMT_INLINE void subtract_right(T (&input)[kItems], Output (&output)[kItems], Op op,
                                  int num_valid, T* successor) {
    const int thread = detail::linear_thread();
    storage_.firsts[thread] = input[0];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) {
      const int place = thread * kItems + i;
      T item = input[i];
      if (place >= num_valid || (place == num_valid - 1 && successor == nullptr)) {
        output[i] = item;
      } else if (place == num_valid - 1) {
        output[i] = op(item, *successor);
      } else {
        output[i] = op(item, i + 1 < kItems ? input[i + 1] : storage_.firsts[thread + 1]);
      }
    }
  }

  Storage& storage_;
};

}  // namespace cub
