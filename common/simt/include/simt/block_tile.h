// SPDX-License-Identifier: MIT
// Tiles of 64 threads and more: several warps of a block. What their warps exchange passes through
// memory that is neither checked nor counted; a device has it in reserve, too.
#pragma once

#include <type_traits>

#include "simt/copy_registers.h"
#include "simt/named_barrier.h"
#include "simt/tile_group.h"

namespace cooperative_groups {

// Where devices before compute capability 8.0 exchange values. Here it stays unused.
template <unsigned max_block_size = 1024>
struct alignas(32) block_tile_memory {
  char bytes[max_block_size];
};
template <unsigned max_block_size>
SIMT_INLINE thread_block this_thread_block(block_tile_memory<max_block_size>&) {
  return this_thread_block();
}

template <unsigned tile_size, class Parent>
requires(tile_size > 32) class thread_block_tile<tile_size, Parent> {
  static_assert(tile_size <= 1024 && (tile_size & (tile_size - 1)) == 0,
                "tiles of more than a warp have 64, 128, 256, 512 or 1024 threads");

 public:
  template <class Group>
  explicit SIMT_INLINE thread_block_tile(const Group& parent)
      : meta_group_rank_(static_cast<unsigned>(parent.thread_rank()) / tile_size),
        meta_group_size_((static_cast<unsigned>(parent.size()) + tile_size - 1) / tile_size) {}

  SIMT_INLINE unsigned thread_rank() const { return block_rank() % tile_size; }
  static constexpr SIMT_INLINE unsigned num_threads() { return tile_size; }
  static constexpr SIMT_INLINE unsigned size() { return tile_size; }
  SIMT_INLINE unsigned meta_group_rank() const { return meta_group_rank_; }
  SIMT_INLINE unsigned meta_group_size() const { return meta_group_size_; }

  SIMT_INLINE void sync() const {
    const unsigned first = block_rank() / tile_size * tile_size;
    const unsigned left = this_thread_block().size() - first;
    const unsigned threads = left < tile_size ? (left + 31) / 32 * 32 : tile_size;
    simt::sync_named_barrier(simt::tile_barrier(kWarps, static_cast<int>(first / tile_size)),
                             static_cast<int>(threads));
  }

  template <class T>
  SIMT_INLINE T shfl(T value, unsigned rank) const {
    check<T>();
    if (thread_rank() == rank % tile_size) put(first_warp(), value);
    sync();
    const T result = get<T>(first_warp());
    sync();  // all have read it
    return result;
  }
  SIMT_INLINE int any(int predicate) const {
    return combined(__any_sync(0xffffffffu, predicate), [](int a, int b) { return a | b; });
  }
  SIMT_INLINE int all(int predicate) const {
    return combined(__all_sync(0xffffffffu, predicate), [](int a, int b) { return a & b; });
  }

  // What the warps' values give together, in order; each lane of a warp has the warp's.
  template <class T, class Operation>
  SIMT_INLINE T combined(T of_warp, Operation operation) const {
    check<T>();
    if (simt::lane_id() == 0) put(static_cast<int>(block_rank()) / 32, of_warp);
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

  static SIMT_INLINE unsigned block_rank() { return this_thread_block().thread_rank(); }
  static SIMT_INLINE int first_warp() {
    return static_cast<int>(block_rank() / tile_size) * kWarps;
  }
  template <class T>
  static constexpr void check() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(simt::Exchanged),
                  "a tile of more than a warp exchanges plain values of at most 32 bytes");
  }
  template <class T>
  static SIMT_INLINE void put(int warp, const T& value) {
    simt::Exchanged all = {};
    simt::copy_registers(all.bytes, &value, sizeof value);
    simt::put_exchanged(static_cast<unsigned>(warp), all);
  }
  template <class T>
  static SIMT_INLINE T get(int warp) {
    const simt::Exchanged all = simt::get_exchanged(static_cast<unsigned>(warp));
    T value;
    simt::copy_registers(&value, all.bytes, sizeof value);
    return value;
  }

  unsigned meta_group_rank_;
  unsigned meta_group_size_;
};

}  // namespace cooperative_groups
