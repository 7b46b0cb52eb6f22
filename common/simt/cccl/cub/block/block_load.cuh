// SPDX-License-Identifier: MIT
// Loads a block's items, blocked: each thread gets neighbours.
#pragma once

#include "cub/block/block_exchange.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,  // the one that leaves them striped
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int kItems, class Iterator>
SIMT_INLINE void LoadDirectBlocked(int thread, Iterator begin, T (&items)[kItems], int num_valid) {
  for (int i = 0; i < kItems; ++i) {
    const int place = thread * kItems + i;
    if (place < num_valid) items[i] = begin[place];
  }
}
template <class T, int kItems, class Iterator>
SIMT_INLINE void LoadDirectBlocked(int thread, Iterator begin, T (&items)[kItems]) {
  LoadDirectBlocked(thread, begin, items, detail::kAllItems);
}
template <int kThreads, class T, int kItems, class Iterator>
SIMT_INLINE void LoadDirectStriped(int thread, Iterator begin, T (&items)[kItems], int num_valid) {
  for (int i = 0; i < kItems; ++i) {
    const int place = i * kThreads + thread;
    if (place < num_valid) items[i] = begin[place];
  }
}
template <int kThreads, class T, int kItems, class Iterator>
SIMT_INLINE void LoadDirectStriped(int thread, Iterator begin, T (&items)[kItems]) {
  LoadDirectStriped<kThreads>(thread, begin, items, detail::kAllItems);
}

// Items from num_valid on keep what they were, or become `missing`.
template <class T, int kX, int kItems, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockLoad {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  static constexpr bool kIsTransposed = kAlgorithm >= BLOCK_LOAD_TRANSPOSE;
  using Exchange = BlockExchange<T, kThreads, kItems>;

 public:
  struct TempStorage
      : Uninitialized<std::conditional_t<kIsTransposed, typename Exchange::TempStorage, NullType>> {
  };
  SIMT_INLINE BlockLoad() {}
  SIMT_INLINE explicit BlockLoad(TempStorage& storage) : storage_(&storage) {}

  template <class Iterator>
  SIMT_INLINE void Load(Iterator begin, T (&items)[kItems]) {
    Load(begin, items, kThreads * kItems);
  }
  template <class Iterator>
  SIMT_INLINE void Load(Iterator begin, T (&items)[kItems], int num_valid) {
    const int thread = detail::linear_thread();
    if constexpr (kAlgorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<kThreads>(thread, begin, items, num_valid);
    } else if constexpr (kIsTransposed) {
      // Striped first, so items beyond the valid ones must have some value to be exchanged.
      T striped[kItems] = {};
      LoadDirectStriped<kThreads>(thread, begin, striped, num_valid);
      Exchange(storage_->room).StripedToBlocked(striped);
      for (int i = 0; i < kItems; ++i) {
        if (thread * kItems + i < num_valid) items[i] = striped[i];
      }
    } else {
      LoadDirectBlocked(thread, begin, items, num_valid);
    }
  }
  template <class Iterator, class Missing>
  SIMT_INLINE void Load(Iterator begin, T (&items)[kItems], int num_valid, Missing missing) {
    for (int i = 0; i < kItems; ++i) items[i] = missing;
    Load(begin, items, num_valid);
  }

 private:
  TempStorage* storage_ = nullptr;
};

}  // namespace cub
