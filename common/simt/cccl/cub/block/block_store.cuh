// SPDX-License-Identifier: MIT
// Stores the items of a block. Each thread has neighbours.
#pragma once

#include "cub/block/block_exchange.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,  // the one whose items are striped
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int kItems, class Iterator>
SIMT_INLINE void StoreDirectBlocked(int thread, Iterator begin, T (&items)[kItems], int num_valid) {
  for (int i = 0; i < kItems; ++i) {
    const int place = thread * kItems + i;
    if (place < num_valid) begin[place] = items[i];
  }
}
template <class T, int kItems, class Iterator>
SIMT_INLINE void StoreDirectBlocked(int thread, Iterator begin, T (&items)[kItems]) {
  StoreDirectBlocked(thread, begin, items, detail::kAllItems);
}
template <int kThreads, class T, int kItems, class Iterator>
SIMT_INLINE void StoreDirectStriped(int thread, Iterator begin, T (&items)[kItems], int num_valid) {
  for (int i = 0; i < kItems; ++i) {
    const int place = i * kThreads + thread;
    if (place < num_valid) begin[place] = items[i];
  }
}
template <int kThreads, class T, int kItems, class Iterator>
SIMT_INLINE void StoreDirectStriped(int thread, Iterator begin, T (&items)[kItems]) {
  StoreDirectStriped<kThreads>(thread, begin, items, detail::kAllItems);
}

template <class T, int kX, int kItems, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockStore {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  static constexpr bool kIsTransposed = kAlgorithm >= BLOCK_STORE_TRANSPOSE;
  using Exchange = BlockExchange<T, kThreads, kItems>;

 public:
  struct TempStorage
      : Uninitialized<std::conditional_t<kIsTransposed, typename Exchange::TempStorage, NullType>> {
  };
  SIMT_INLINE BlockStore() {}
  SIMT_INLINE explicit BlockStore(TempStorage& storage) : storage_(&storage) {}

  template <class Iterator>
  SIMT_INLINE void Store(Iterator begin, T (&items)[kItems]) {
    Store(begin, items, kThreads * kItems);
  }
  template <class Iterator>
  SIMT_INLINE void Store(Iterator begin, T (&items)[kItems], int num_valid) {
    const int thread = detail::linear_thread();
    if constexpr (kAlgorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<kThreads>(thread, begin, items, num_valid);
    } else if constexpr (kIsTransposed) {
      T striped[kItems];
      Exchange(storage_->room).BlockedToStriped(items, striped);
      StoreDirectStriped<kThreads>(thread, begin, striped, num_valid);
    } else {
      StoreDirectBlocked(thread, begin, items, num_valid);
    }
  }

 private:
  TempStorage* storage_ = nullptr;
};

}  // namespace cub
