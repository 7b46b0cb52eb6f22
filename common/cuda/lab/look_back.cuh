// SPDX-License-Identifier: MIT
// Decoupled look-back: how each tile learns the combination of all tiles before it, within one
// launch. (D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA NVR-2016-002, 2016.)
//
// Every tile owns one word of device memory. The word is empty at first, then holds the combination
// of the tile's own items (its aggregate), then that of all items up to the tile's end (its
// prefix). A tile combines its predecessors' aggregates, nearest first, until it reaches a prefix:
// then it knows its own.
//
//   __shared__ int ticket;
//   __shared__ int prefix;
//   if (threadIdx.x == 0) ticket = look_back.take_ticket();
//   __syncthreads();                      // ticket is set
//   const int tile = ticket;              // not blockIdx.x
//   ... aggregate = the combination of the tile's items, known to warp 0 ...
//   if (threadIdx.x == 0) look_back.publish(tile, aggregate);   // the sooner, the better
//   if (threadIdx.x < 32) {
//     const int before = look_back.exclusive_prefix(tile, aggregate, 0, add);
//     if (threadIdx.x == 0) prefix = before;
//   }
//   __syncthreads();                      // prefix is set
//
// Why tickets: a block may wait only for blocks that have already started, and CUDA does not
// promise that blocks start in the order of blockIdx. If a block holds ticket k, other blocks hold
// 0 to k - 1.
//
// Why one word: state and value change together in a 64-bit store, so a tile that sees the state
// sees the value that belongs to it, and no fence is needed. It orders no other memory: successors
// must not read anything else that the tile wrote.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda/atomic>
#include <type_traits>

#include "lab/cuda_error.cuh"
#include "lab/scratch.cuh"

namespace lab {

// The words of num_tiles x num_columns look-backs, and the tickets of one launch. A column is a
// look-back of its own over the same tiles: a plain scan has one, a radix sort one for each digit.
//   T        at most 32 bits, trivially copyable; combined by an associative operator, which need
//            not be commutative: combine(earlier, later)
// Passed to a kernel by value. Serves a single launch: make another for the next.
template <class T>
class LookBack {
  static_assert(sizeof(T) <= sizeof(std::uint32_t) && std::is_trivially_copyable_v<T>,
                "state and value share one 64-bit word");

 public:
  // Takes 8 * (num_tiles * num_columns + 1) bytes of scratch, and clears them on `stream`. Throws
  // std::bad_alloc, CudaError.
  LookBack(int num_tiles, Scratch& scratch, cudaStream_t stream, int num_columns = 1)
      : num_columns_(num_columns) {
    const std::size_t num_words = static_cast<std::size_t>(num_tiles) * num_columns + 1;
    d_ticket_ = scratch.allocate<Word>(num_words);
    d_words_ = d_ticket_ + 1;
    check(cudaMemsetAsync(d_ticket_, 0, num_words * sizeof(Word), stream));
  }

  // Returns 0, 1, 2, ... Called by one thread of each block; the others wait at a barrier for it.
  __device__ int take_ticket() const { return static_cast<int>(atomicAdd(d_ticket_, Word{1})); }

  // Publishes the tile's aggregate for its successors. Called by one thread per column, before the
  // same column's exclusive_prefix(). Tile 0 has nothing before it: its aggregate is a prefix.
  __device__ void publish(int tile, T aggregate, int column = 0) const {
    store(tile, column, tile == 0 ? State::kPrefix : State::kAggregate, aggregate);
  }

  // Returns the combination of all tiles before `tile`, in every lane, and publishes the prefix
  // that successors wait for: call it before any other long work. Called by all 32 lanes of one
  // warp with the same arguments. combine(identity, x) must be x.
  template <class Combine>
  __device__ T exclusive_prefix(int tile, T aggregate, T identity, Combine combine,
                                int column = 0) const {
    const int lane_id = static_cast<int>(threadIdx.x % kWarpSize);
    T exclusive = identity;
    for (int window_end = tile;; window_end -= kWarpSize) {
      // The lanes hold 32 tiles in order, the nearest in lane 31. Lanes before tile 0 hold the
      // identity as a prefix, so every look-back finds one.
      const int predecessor = window_end - kWarpSize + lane_id;
      const auto look = [&] {
        return predecessor >= 0 ? load(predecessor, column) : pack(State::kPrefix, identity);
      };
      Word word = look();
      int first_lane;  // the last prefix of the window, if any: includes all before it
      for (;;) {
        const unsigned prefixes = __ballot_sync(kFullWarp, state_of(word) == State::kPrefix);
        const unsigned empty = __ballot_sync(kFullWarp, state_of(word) == State::kEmpty);
        first_lane = prefixes == 0 ? 0 : kWarpSize - 1 - __clz(static_cast<int>(prefixes));
        if (empty >> first_lane == 0) break;
        if (state_of(word) == State::kEmpty) word = look();
      }
      const T in_window = combine_lanes(lane_id < first_lane ? identity : value_of(word), combine);
      exclusive = combine(in_window, exclusive);
      if (__any_sync(kFullWarp, state_of(word) == State::kPrefix)) break;
    }
    if (lane_id == 0 && tile > 0) {
      store(tile, column, State::kPrefix, combine(exclusive, aggregate));
    }
    return exclusive;
  }

  // The same, by one thread: for many columns at once, neighbouring threads on neighbouring
  // columns.
  template <class Combine>
  __device__ T exclusive_prefix_by_thread(int tile, int column, T aggregate, T identity,
                                          Combine combine) const {
    constexpr int kInFlight = 4;  // loads in flight, to hide their latency
    T exclusive = identity;
    bool complete = tile == 0;
    for (int nearest = tile - 1; !complete; nearest -= kInFlight) {
      Word words[kInFlight];
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
        words[i] = nearest >= i ? load(nearest - i, column) : pack(State::kPrefix, identity);
      }
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
        if (complete) continue;
        while (state_of(words[i]) == State::kEmpty) words[i] = load(nearest - i, column);
        exclusive = combine(value_of(words[i]), exclusive);
        complete = state_of(words[i]) == State::kPrefix;
      }
    }
    if (tile > 0) store(tile, column, State::kPrefix, combine(exclusive, aggregate));
    return exclusive;
  }

 private:
  using Word = unsigned long long;  // state in the upper half, value in the lower
  enum class State : unsigned { kEmpty, kAggregate, kPrefix };  // kEmpty is what a memset leaves
  static constexpr int kWarpSize = 32;
  static constexpr unsigned kFullWarp = 0xffffffffu;

  __device__ static std::uint32_t bits_of(T value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  __device__ static T value_of(Word word) {
    const auto bits = static_cast<std::uint32_t>(word);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  __device__ static State state_of(Word word) { return static_cast<State>(word >> 32); }
  __device__ static Word pack(State state, T value) {
    return static_cast<Word>(state) << 32 | bits_of(value);
  }

  // Relaxed, because only the word itself is communicated. Not cached by the SM, never hoisted.
  using AtomicWord = cuda::atomic_ref<Word, cuda::thread_scope_device>;
  __device__ Word load(int tile, int column) const {
    return AtomicWord(word_at(tile, column)).load(cuda::memory_order_relaxed);
  }
  __device__ void store(int tile, int column, State state, T value) const {
    AtomicWord(word_at(tile, column)).store(pack(state, value), cuda::memory_order_relaxed);
  }
  __device__ Word& word_at(int tile, int column) const {
    return d_words_[static_cast<std::size_t>(tile) * num_columns_ + column];
  }

  // Combines the values of lanes 0 to 31 in that order; every lane gets the result.
  template <class Combine>
  __device__ static T combine_lanes(T value, Combine combine) {
    for (int distance = 1; distance < kWarpSize; distance *= 2) {
      // Lane 0 holds lanes [0, distance), lane `distance` the next as many. Values that the last
      // lanes read past the end of the warp never reach lane 0.
      const Word later = __shfl_down_sync(kFullWarp, bits_of(value), distance);
      value = combine(value, value_of(later));
    }
    return value_of(__shfl_sync(kFullWarp, bits_of(value), 0));
  }

  Word* d_ticket_;  // (1)
  Word* d_words_;   // (num_tiles, num_columns)
  int num_columns_;
};

}  // namespace lab
