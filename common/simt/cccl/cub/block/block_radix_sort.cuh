// SPDX-License-Identifier: MIT
// Sorts a block's items, which lie blocked before and after, or striped after. Stable.
#pragma once

#include "cub/block/block_exchange.cuh"
#include "cub/util_key.cuh"

namespace cub {

// A barrier must come before the storage is used again.
template <class Key, int kX, int kItems, class Value = NullType, int kRadixBits = 4,
          bool kMemoize = true, int kScanAlgorithm = 0, int kSharedMemory = 0, int kY = 1,
          int kZ = 1, int kArch = 0>
class BlockRadixSort {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  static constexpr int kCount = kThreads * kItems;
  static constexpr int kBits = 8 * sizeof(Key);
  static constexpr bool kHasValues = !std::is_same_v<Value, NullType>;
  struct Storage {
    Key keys[kCount];
    Value values[kHasValues ? kCount : 1];
    unsigned short order[kCount];
    unsigned short room[kCount];
    unsigned short* sorted;
  };
  using Values = Value[kItems];

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit BlockRadixSort(TempStorage& storage) : storage_(storage.room) {}

  SIMT_INLINE void Sort(Key (&keys)[kItems], int begin_bit = 0, int end_bit = kBits) {
    Values none;
    sort(keys, none, {begin_bit, end_bit, false}, kItems, 1);
  }
  SIMT_INLINE void Sort(Key (&keys)[kItems], Values& values, int begin_bit = 0,
                        int end_bit = kBits) {
    sort(keys, values, {begin_bit, end_bit, false}, kItems, 1);
  }
  SIMT_INLINE void SortDescending(Key (&keys)[kItems], int begin_bit = 0, int end_bit = kBits) {
    Values none;
    sort(keys, none, {begin_bit, end_bit, true}, kItems, 1);
  }
  SIMT_INLINE void SortDescending(Key (&keys)[kItems], Values& values, int begin_bit = 0,
                                  int end_bit = kBits) {
    sort(keys, values, {begin_bit, end_bit, true}, kItems, 1);
  }
  SIMT_INLINE void SortBlockedToStriped(Key (&keys)[kItems], int begin_bit = 0,
                                        int end_bit = kBits) {
    Values none;
    sort(keys, none, {begin_bit, end_bit, false}, 1, kThreads);
  }
  SIMT_INLINE void SortBlockedToStriped(Key (&keys)[kItems], Values& values, int begin_bit = 0,
                                        int end_bit = kBits) {
    sort(keys, values, {begin_bit, end_bit, false}, 1, kThreads);
  }
  SIMT_INLINE void SortDescendingBlockedToStriped(Key (&keys)[kItems], int begin_bit = 0,
                                                  int end_bit = kBits) {
    Values none;
    sort(keys, none, {begin_bit, end_bit, true}, 1, kThreads);
  }
  SIMT_INLINE void SortDescendingBlockedToStriped(Key (&keys)[kItems], Values& values,
                                                  int begin_bit = 0, int end_bit = kBits) {
    sort(keys, values, {begin_bit, end_bit, true}, 1, kThreads);
  }

 private:
  // Thread t gets the items t * thread_step + i * item_step.
  SIMT_INLINE void sort(Key (&keys)[kItems], Values& values, detail::KeyOrder by, int thread_step,
                        int item_step) {
    static_assert(kCount <= 32768, "a block's items are counted in 16 bits");
    const int thread = detail::linear_thread();
    for (int i = 0; i < kItems; ++i) {
      storage_.keys[thread * kItems + i] = keys[i];
      if constexpr (kHasValues) storage_.values[thread * kItems + i] = values[i];
    }
    __syncthreads();
    if (thread == 0) {  // what it does in sorted_order is seen by no hook
      for (int i = 0; i < kCount; ++i) storage_.order[i] = storage_.room[i] = 0;
      storage_.sorted =
          detail::sorted_order(storage_.keys, kCount, storage_.order, storage_.room, by);
    }
    __syncthreads();
    for (int i = 0; i < kItems; ++i) {
      const int place = storage_.sorted[thread * thread_step + i * item_step];
      keys[i] = storage_.keys[place];
      if constexpr (kHasValues) values[i] = storage_.values[place];
    }
  }

  Storage& storage_;
};

}  // namespace cub
