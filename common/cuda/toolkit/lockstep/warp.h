// SPDX-License-Identifier: MIT
// Warp functions: shuffles, votes, matches and reductions, each one instruction for 32 bits.
#pragma once

#include <type_traits>

#include "lockstep/keywords.h"

#ifdef __CUDA__

// __syncwarp() and __activemask(): every lane of the mask waits for the others; the lanes that run
// together.
LOCKSTEP_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
LOCKSTEP_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }

namespace lockstep {

template <class T>
inline constexpr bool kIsShuffled = std::is_arithmetic_v<T> && sizeof(T) <= 8;

}  // namespace lockstep

// Types of 8 bytes go in two halves. `width` lanes form a segment, a power of two: the mask of the
// instruction has the bits of the segment's number, and the last lane that is a source.
#define LOCKSTEP_SHUFFLE(name, instruction, Argument, last_lane)                           \
  template <class T>                                                                       \
  LOCKSTEP_DEVICE std::enable_if_t<lockstep::kIsShuffled<T>, T> name(                      \
      unsigned int mask, T value, Argument argument, int width = warpSize) {               \
    const int segment = ((warpSize - width) << 8) | (last_lane);                           \
    if constexpr (sizeof(T) == 8) {                                                        \
      const auto bits = __builtin_bit_cast(unsigned long long, value);                     \
      const auto low = static_cast<unsigned int>(__nvvm_shfl_sync_##instruction##_i32(     \
          mask, static_cast<int>(bits), static_cast<int>(argument), segment));             \
      const auto high = static_cast<unsigned int>(__nvvm_shfl_sync_##instruction##_i32(    \
          mask, static_cast<int>(bits >> 32), static_cast<int>(argument), segment));       \
      return __builtin_bit_cast(T, static_cast<unsigned long long>(high) << 32 | low);     \
    } else if constexpr (std::is_same_v<T, float>) {                                       \
      return __nvvm_shfl_sync_##instruction##_f32(mask, value, static_cast<int>(argument), \
                                                  segment);                                \
    } else {                                                                               \
      return static_cast<T>(__nvvm_shfl_sync_##instruction##_i32(                          \
          mask, static_cast<int>(value), static_cast<int>(argument), segment));            \
    }                                                                                      \
  }
LOCKSTEP_SHUFFLE(__shfl_sync, idx, int, 31)
LOCKSTEP_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
LOCKSTEP_SHUFFLE(__shfl_down_sync, down, unsigned int, 31)
LOCKSTEP_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef LOCKSTEP_SHUFFLE

LOCKSTEP_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}

// The lanes of the mask whose value has the same bits as this lane's ...
template <class T>
LOCKSTEP_DEVICE std::enable_if_t<lockstep::kIsShuffled<T>, unsigned int> __match_any_sync(
    unsigned int mask, T value) {
  if constexpr (sizeof(T) == 8) {
    return __nvvm_match_any_sync_i64(mask, __builtin_bit_cast(long long, value));
  } else if constexpr (std::is_same_v<T, float>) {
    return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(int, value));
  } else {
    return __nvvm_match_any_sync_i32(mask, static_cast<int>(value));
  }
}
// ... or all of them if all their values have the same bits, else 0; *predicate says which.
template <class T>
LOCKSTEP_DEVICE std::enable_if_t<lockstep::kIsShuffled<T>, unsigned int> __match_all_sync(
    unsigned int mask, T value, int* predicate) {
  if constexpr (sizeof(T) == 8) {
    return __nvvm_match_all_sync_i64p(mask, __builtin_bit_cast(long long, value), predicate);
  } else if constexpr (std::is_same_v<T, float>) {
    return __nvvm_match_all_sync_i32p(mask, __builtin_bit_cast(int, value), predicate);
  } else {
    return __nvvm_match_all_sync_i32p(mask, static_cast<int>(value), predicate);
  }
}

LOCKSTEP_DEVICE int __reduce_add_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_add(value, static_cast<int>(mask));
}
LOCKSTEP_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(
      __nvvm_redux_sync_add(static_cast<int>(value), static_cast<int>(mask)));
}
LOCKSTEP_DEVICE int __reduce_min_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_min(value, static_cast<int>(mask));
}
LOCKSTEP_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umin(value, static_cast<int>(mask));
}
LOCKSTEP_DEVICE int __reduce_max_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_max(value, static_cast<int>(mask));
}
LOCKSTEP_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umax(value, static_cast<int>(mask));
}
#define LOCKSTEP_REDUCE_BITS(operation)                                                  \
  LOCKSTEP_DEVICE unsigned int __reduce_##operation##_sync(unsigned int mask,            \
                                                           unsigned int value) {         \
    return static_cast<unsigned int>(                                                    \
        __nvvm_redux_sync_##operation(static_cast<int>(value), static_cast<int>(mask))); \
  }
LOCKSTEP_REDUCE_BITS(and)
LOCKSTEP_REDUCE_BITS(or)
LOCKSTEP_REDUCE_BITS(xor)
#undef LOCKSTEP_REDUCE_BITS

#endif
