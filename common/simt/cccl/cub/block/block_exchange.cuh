// SPDX-License-Identifier: MIT
// Rearranges a block's items: blocked, where a thread has neighbours; striped, where neighbours are
// in neighbouring threads.
#pragma once

#include <limits>

#include "cub/util_type.cuh"

namespace cub {
namespace detail {

// As a count of valid items: all of them are.
inline constexpr int kAllItems = std::numeric_limits<int>::max();

}  // namespace detail

template <class T, int kX, int kItems, bool kWarpTimeSlicing = false, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockExchange {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  struct Storage {
    T items[kThreads * kItems];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit BlockExchange(TempStorage& storage) : storage_(storage.room) {}

  SIMT_INLINE void StripedToBlocked(const T (&input)[kItems], T (&output)[kItems]) {
    const int thread = detail::linear_thread();
    for (int i = 0; i < kItems; ++i) storage_.items[i * kThreads + thread] = input[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) output[i] = storage_.items[thread * kItems + i];
  }
  SIMT_INLINE void BlockedToStriped(const T (&input)[kItems], T (&output)[kItems]) {
    const int thread = detail::linear_thread();
    for (int i = 0; i < kItems; ++i) storage_.items[thread * kItems + i] = input[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) output[i] = storage_.items[i * kThreads + thread];
  }
  SIMT_INLINE void StripedToBlocked(T (&items)[kItems]) { StripedToBlocked(items, items); }
  SIMT_INLINE void BlockedToStriped(T (&items)[kItems]) { BlockedToStriped(items, items); }

 private:
  Storage& storage_;
};

}  // namespace cub
