// SPDX-License-Identifier: MIT
// Tiles of 64 threads and more: several warps of a block. What their warps exchange passes through
// memory that is neither checked nor counted; a device has it in reserve, too.
#pragma once

#include <type_traits>

#include "lockstep/machine_calls.h"
#include "lockstep/tile_group.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

// Where devices before compute capability 8.0 exchange values. Here it stays unused.
template <unsigned int max_block_size = 1024>
struct alignas(32) block_tile_memory {
  char bytes[max_block_size];
};
template <unsigned int max_block_size>
LOCKSTEP_DEVICE thread_block this_thread_block(block_tile_memory<max_block_size>&) {
  return this_thread_block();
}

template <unsigned int tile_size>
class block_tile {
  static_assert(tile_size <= 1024 && (tile_size & (tile_size - 1)) == 0,
                "tiles of more than a warp have 64, 128, 256, 512 or 1024 threads");

 public:
  template <class Group>
  explicit LOCKSTEP_DEVICE block_tile(const Group& parent)
      : meta_group_rank_(static_cast<unsigned int>(parent.thread_rank()) / tile_size),
        meta_group_size_((static_cast<unsigned int>(parent.size()) + tile_size - 1) / tile_size) {}

  LOCKSTEP_DEVICE unsigned int thread_rank() const { return block_rank() % tile_size; }
  static constexpr LOCKSTEP_DEVICE unsigned int num_threads() { return tile_size; }
  static constexpr LOCKSTEP_DEVICE unsigned int size() { return tile_size; }
  LOCKSTEP_DEVICE unsigned int meta_group_rank() const { return meta_group_rank_; }
  LOCKSTEP_DEVICE unsigned int meta_group_size() const { return meta_group_size_; }

  LOCKSTEP_DEVICE void sync() const {
    const unsigned int first = block_rank() / tile_size * tile_size;
    const unsigned int left = this_thread_block().size() - first;
    const unsigned int threads = left < tile_size ? (left + 31) / 32 * 32 : tile_size;
    __lockstep_tile_sync(kWarps, first / tile_size, threads);
  }

  template <class T>
  LOCKSTEP_DEVICE T shfl(T value, unsigned int rank) const {
    check<T>();
    if (thread_rank() == rank % tile_size) put(first_warp(), value);
    sync();
    const T result = get<T>(first_warp());
    sync();  // all have read it
    return result;
  }
  LOCKSTEP_DEVICE int any(int predicate) const {
    return combined(__any_sync(0xffffffffu, predicate), [](int a, int b) { return a | b; });
  }
  LOCKSTEP_DEVICE int all(int predicate) const {
    return combined(__all_sync(0xffffffffu, predicate), [](int a, int b) { return a & b; });
  }

  // What the warps' values give together, in order; each lane of a warp has the warp's.
  template <class T, class Operation>
  LOCKSTEP_DEVICE T combined(T of_warp, Operation operation) const {
    check<T>();
    if (__nvvm_read_ptx_sreg_laneid() == 0) put(static_cast<int>(block_rank()) / 32, of_warp);
    sync();
    T result = get<T>(first_warp());
    const int end = first_warp() + kWarps,
              all = (static_cast<int>(this_thread_block().size()) + 31) / 32;
    for (int warp = first_warp() + 1; warp < end && warp < all; ++warp) {
      result = operation(result, get<T>(warp));
    }
    sync();  // all have read them
    return result;
  }

 private:
  static constexpr int kWarps = tile_size / 32;
  template <class T>
  static constexpr unsigned int kNumWords = (sizeof(T) + 3) / 4;

  static LOCKSTEP_DEVICE unsigned int block_rank() { return this_thread_block().thread_rank(); }
  static LOCKSTEP_DEVICE int first_warp() {
    return static_cast<int>(block_rank() / tile_size) * kWarps;
  }
  template <class T>
  static constexpr LOCKSTEP_DEVICE void check() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                  "a tile of more than a warp exchanges plain values of at most 32 bytes");
  }
  template <class T>
  static LOCKSTEP_DEVICE void put(int warp, const T& value) {
    unsigned int words[kNumWords<T>] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned int i = 0; i < kNumWords<T>; ++i) {
      __lockstep_tile_put(static_cast<unsigned int>(warp), i, words[i]);
    }
  }
  template <class T>
  static LOCKSTEP_DEVICE T get(int warp) {
    unsigned int words[kNumWords<T>];
    for (unsigned int i = 0; i < kNumWords<T>; ++i) {
      words[i] = __lockstep_tile_get(static_cast<unsigned int>(warp), i);
    }
    T value;
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }

  unsigned int meta_group_rank_;
  unsigned int meta_group_size_;
};

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
