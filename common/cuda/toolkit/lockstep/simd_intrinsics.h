// SPDX-License-Identifier: MIT
// Arithmetic on each halfword (name2) or byte (name4) of a word.
#pragma once

#include "lockstep/keywords.h"

#ifdef __CUDA__

namespace lockstep {

// A part of `bits` bits, number i, as a number with or without a sign.
template <int bits, bool is_signed>
LOCKSTEP_DEVICE int part_of(unsigned int word, int i) {
  const unsigned int part = word >> (bits * i) & ((1u << bits) - 1);
  return is_signed ? static_cast<int>(part << (32 - bits)) >> (32 - bits) : static_cast<int>(part);
}
LOCKSTEP_DEVICE int limited(int x, int lowest, int highest) {
  return x < lowest ? lowest : x > highest ? highest : x;
}
LOCKSTEP_DEVICE int magnitude(int x) { return x < 0 ? -x : x; }

}  // namespace lockstep

// The result of two parts a and b; it is cut to its part. lowest and highest are the part's limits.
#define LOCKSTEP_SIMD_FUNCTION(name, count, sign, parameters, second, expression, combine)        \
  LOCKSTEP_DEVICE unsigned int name parameters {                                                  \
    constexpr int bits = 32 / count;                                                              \
    constexpr bool is_signed = LOCKSTEP_IS_##sign;                                                \
    [[maybe_unused]] constexpr int lowest = is_signed ? -(1 << (bits - 1)) : 0;                   \
    [[maybe_unused]] constexpr int highest = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1; \
    unsigned int result = 0;                                                                      \
    _Pragma("unroll") for (int i = 0; i < count; ++i) {                                           \
      [[maybe_unused]] const int a = lockstep::part_of<bits, is_signed>(a_word, i);               \
      [[maybe_unused]] const int b = lockstep::part_of<bits, is_signed>(second, i);               \
      combine(expression)                                                                         \
    }                                                                                             \
    return result;                                                                                \
  }
#define LOCKSTEP_IS_signed true
#define LOCKSTEP_IS_unsigned false
#define LOCKSTEP_PLACE(expression) \
  result |= (static_cast<unsigned int>(expression) & ((1u << bits) - 1)) << (bits * i);
#define LOCKSTEP_SUM(expression) result += static_cast<unsigned int>(expression);
#define LOCKSTEP_SIMD(name, sign, expression)                                               \
  LOCKSTEP_SIMD_FUNCTION(__v##name##2, 2, sign, (unsigned int a_word, unsigned int b_word), \
                         b_word, expression, LOCKSTEP_PLACE)                                \
  LOCKSTEP_SIMD_FUNCTION(__v##name##4, 4, sign, (unsigned int a_word, unsigned int b_word), \
                         b_word, expression, LOCKSTEP_PLACE)
#define LOCKSTEP_SIMD_ONE(name, sign, expression)                                          \
  LOCKSTEP_SIMD_FUNCTION(__v##name##2, 2, sign, (unsigned int a_word), a_word, expression, \
                         LOCKSTEP_PLACE)                                                   \
  LOCKSTEP_SIMD_FUNCTION(__v##name##4, 4, sign, (unsigned int a_word), a_word, expression, \
                         LOCKSTEP_PLACE)
#define LOCKSTEP_SIMD_SUM(name, sign, expression)                                           \
  LOCKSTEP_SIMD_FUNCTION(__v##name##2, 2, sign, (unsigned int a_word, unsigned int b_word), \
                         b_word, expression, LOCKSTEP_SUM)                                  \
  LOCKSTEP_SIMD_FUNCTION(__v##name##4, 4, sign, (unsigned int a_word, unsigned int b_word), \
                         b_word, expression, LOCKSTEP_SUM)
#include "lockstep/simd_intrinsics.inc"
#undef LOCKSTEP_SIMD_FUNCTION
#undef LOCKSTEP_IS_signed
#undef LOCKSTEP_IS_unsigned
#undef LOCKSTEP_PLACE
#undef LOCKSTEP_SUM

#endif
