// SPDX-License-Identifier: MIT
// What the instructions of inline PTX become that treat a register as bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/integer_intrinsics.h"
#include "simt/ptx/arithmetic.h"
#include "simt/ptx/register.h"

namespace simt::ptx {

template <class T>
SIMT_INLINE T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
SIMT_INLINE T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
SIMT_INLINE T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
SIMT_INLINE T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}
template <class T>
SIMT_INLINE T is_zero(T a) {
  return static_cast<T>(a == 0);
}
template <class T>
SIMT_INLINE T shift_left(T a, unsigned count) {
  return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<Unsigned<T>>(a) << count);
}
template <class T>
SIMT_INLINE T shift_right(T a, unsigned count) {
  constexpr unsigned kMost = 8 * sizeof(T) - 1;
  if (count > kMost) return std::is_signed_v<T> ? static_cast<T>(a >> kMost) : T(0);
  return static_cast<T>(a >> count);
}
SIMT_INLINE unsigned funnel(unsigned low, unsigned high, unsigned count, bool leftwards) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(leftwards ? (both << count) >> 32 : both >> count);
}
SIMT_INLINE unsigned funnel_left(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count & 31, true);
}
SIMT_INLINE unsigned funnel_right(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count & 31, false);
}
SIMT_INLINE unsigned funnel_left_clamp(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count < 32 ? count : 32, true);
}
SIMT_INLINE unsigned funnel_right_clamp(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count < 32 ? count : 32, false);
}
// Bits beyond the word are the field's sign, or 0.
template <class T>
SIMT_INLINE T bfe(T a, unsigned position, unsigned length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const unsigned last = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
  const bool is_negative = std::is_signed_v<T> && ((static_cast<Unsigned<T>>(a) >> last) & 1) != 0;
  Unsigned<T> field = shift_right<Unsigned<T>>(static_cast<Unsigned<T>>(a), position);
  const unsigned kept = position > last ? 0 : last - position + 1;
  const Unsigned<T> mask = subtract<Unsigned<T>>(shift_left<Unsigned<T>>(1, kept), 1);
  field &= mask;
  return static_cast<T>(is_negative ? static_cast<Unsigned<T>>(field | ~mask) : field);
}
template <class T>
SIMT_INLINE T bfi(T field, T into, unsigned position, unsigned length) {
  position &= 0xff;
  length &= 0xff;
  const T mask = shift_left<T>(subtract<T>(shift_left<T>(1, length), 1), position);
  return static_cast<T>((shift_left<T>(field, position) & mask) | (into & ~mask));
}
template <class T>
SIMT_INLINE unsigned count_ones(T a) {
  return static_cast<unsigned>(__builtin_popcountll(static_cast<Unsigned<T>>(a)));
}
template <class T>
SIMT_INLINE unsigned leading_zeros(T a) {
  const auto bits = static_cast<Unsigned<T>>(a);
  constexpr unsigned kBits = 8 * sizeof(T);
  return bits == 0 ? kBits : static_cast<unsigned>(__builtin_clzll(bits)) - (64 - kBits);
}
// The highest bit that is not the sign; all ones if there is none.
template <class T>
SIMT_INLINE unsigned find_bit(T a, bool as_shift) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  if (bits == 0) return 0xffffffffu;
  const unsigned zeros = leading_zeros(bits);
  return as_shift ? zeros : kBits - 1 - zeros;
}
template <class T>
SIMT_INLINE T reversed(T a) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__brevll(static_cast<unsigned long long>(a)));
  } else {
    return static_cast<T>(__brev(static_cast<unsigned>(a)));
  }
}
// A selector's highest bit copies the byte's sign over the byte.
SIMT_INLINE unsigned permute(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(both >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// Bit i of the table says what becomes of three bits that are together the number i.
SIMT_INLINE unsigned logic(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  if ((table & 0x01) != 0) result |= ~a & ~b & ~c;
  if ((table & 0x02) != 0) result |= ~a & ~b & c;
  if ((table & 0x04) != 0) result |= ~a & b & ~c;
  if ((table & 0x08) != 0) result |= ~a & b & c;
  if ((table & 0x10) != 0) result |= a & ~b & ~c;
  if ((table & 0x20) != 0) result |= a & ~b & c;
  if ((table & 0x40) != 0) result |= a & b & ~c;
  if ((table & 0x80) != 0) result |= a & b & c;
  return result;
}

}  // namespace simt::ptx
