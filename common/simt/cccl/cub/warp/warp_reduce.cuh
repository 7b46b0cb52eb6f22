// SPDX-License-Identifier: MIT
// Reductions and scans over the lanes of a warp, or of an aligned part of one, by shuffles.
#pragma once

#include "cub/thread/thread_operators.cuh"
#include "cub/util_type.cuh"

namespace cub {
namespace detail {

// A value of any size, word by word.
template <class T, class Shuffle>
SIMT_INLINE T shuffled(const T& value, Shuffle shuffle) {
  constexpr std::size_t kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = shuffle(word);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

// Lanes that work together: `count` from `first` on, a power of two apart from each other.
struct Lanes {
  int first, count, lane;  // lane: the calling one, from 0

  SIMT_INLINE unsigned mask() const { return (count == 32 ? ~0U : (1U << count) - 1) << first; }
  template <class T>
  SIMT_INLINE T down(const T& value, int distance) const {
    return shuffled(
        value, [&](unsigned word) __attribute__((always_inline)) {
          return __shfl_down_sync(mask(), word, static_cast<unsigned>(distance));
        });
  }
  template <class T>
  SIMT_INLINE T up(const T& value, int distance) const {
    return shuffled(
        value, [&](unsigned word) __attribute__((always_inline)) {
          return __shfl_up_sync(mask(), word, static_cast<unsigned>(distance));
        });
  }
  template <class T>
  SIMT_INLINE T from(const T& value, int lane_id) const {
    return shuffled(
        value, [&](unsigned word) __attribute__((always_inline)) {
          return __shfl_sync(mask(), word, first + lane_id);
        });
  }
};

// The first lane's result is that of the first `valid` lanes.
template <class T, class Op>
SIMT_INLINE T reduce_lanes(const Lanes& lanes, T value, int valid, Op op) {
  for (int distance = 1; distance < lanes.count; distance *= 2) {
    const T other = lanes.down(value, distance);
    if (lanes.lane + distance < valid) value = op(value, other);
  }
  return value;
}

template <class T, class Op>
SIMT_INLINE T scan_lanes(const Lanes& lanes, T value, Op op) {
  for (int distance = 1; distance < lanes.count; distance *= 2) {
    const T other = lanes.up(value, distance);
    if (lanes.lane >= distance) value = op(other, value);
  }
  return value;
}

template <int kThreads>
SIMT_INLINE Lanes lanes_of_part() {
  static_assert(kThreads >= 1 && kThreads <= 32, "a warp has 32 lanes");
  const int lane = linear_thread() % 32;
  const int first = lane / kThreads * kThreads;
  return {first, kThreads, lane - first};
}

}  // namespace detail

// Results are those of the first lane alone.
template <class T, int kThreads = 32, int kArch = 0>
class WarpReduce {
 public:
  struct TempStorage : Uninitialized<NullType> {};
  SIMT_INLINE explicit WarpReduce(TempStorage&) {}

  template <class Op>
  SIMT_INLINE T Reduce(T input, Op op) {
    return Reduce(input, op, kThreads);
  }
  template <class Op>
  SIMT_INLINE T Reduce(T input, Op op, int valid_items) {
    return detail::reduce_lanes(detail::lanes_of_part<kThreads>(), input, valid_items, op);
  }
  SIMT_INLINE T Sum(T input) { return Reduce(input, cub::Sum()); }
  SIMT_INLINE T Sum(T input, int valid_items) { return Reduce(input, cub::Sum(), valid_items); }
};

}  // namespace cub
