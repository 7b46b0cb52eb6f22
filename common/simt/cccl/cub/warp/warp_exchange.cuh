// SPDX-License-Identifier: MIT
// Rearranges the items of a warp, or of an aligned part of one, as BlockExchange does a block's.
#pragma once

#include "cub/util_type.cuh"

namespace cub {

template <class T, int kItems, int kThreads = 32, int kArch = 0>
class WarpExchange {
  struct Storage {
    T items[kThreads * kItems];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit WarpExchange(TempStorage& storage) : storage_(storage.room) {}

  template <class Output>
  SIMT_INLINE void StripedToBlocked(const T (&input)[kItems], Output (&output)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[i * kThreads + lane_] = input[i];
    __syncwarp(mask());
    for (int i = 0; i < kItems; ++i) output[i] = storage_.items[lane_ * kItems + i];
  }
  template <class Output>
  SIMT_INLINE void BlockedToStriped(const T (&input)[kItems], Output (&output)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[lane_ * kItems + i] = input[i];
    __syncwarp(mask());
    for (int i = 0; i < kItems; ++i) output[i] = storage_.items[i * kThreads + lane_];
  }
  template <class Rank>
  SIMT_INLINE void ScatterToStriped(T (&items)[kItems], Rank (&ranks)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[ranks[i]] = items[i];
    __syncwarp(mask());
    for (int i = 0; i < kItems; ++i) items[i] = storage_.items[i * kThreads + lane_];
  }

 private:
  static SIMT_INLINE unsigned mask() {
    const int first = detail::linear_thread() % 32 / kThreads * kThreads;
    return (kThreads == 32 ? ~0u : (1u << kThreads % 32) - 1) << first;
  }

  Storage& storage_;
  const int lane_ = detail::linear_thread() % kThreads;
};

}  // namespace cub
