// SPDX-License-Identifier: MIT
// Integer intrinsics and reinterpretations: pure functions of one instruction or a few.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "simt/keywords.h"
#include "simt/vector_types.h"

// Counting bits. Leading zeros of 0 are all bits; the first set bit counts from 1, none is 0.
SIMT_INLINE int __popc(unsigned x) { return std::popcount(x); }
SIMT_INLINE int __popcll(unsigned long long x) { return std::popcount(x); }
SIMT_INLINE int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
SIMT_INLINE int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }

// Bits and bytes in reverse, or picked out of two words by a selector's nibbles.
unsigned __brev(unsigned x);
unsigned long long __brevll(unsigned long long x);
unsigned __byte_perm(unsigned low, unsigned high, unsigned selector);

// The place of the n-th set bit of `mask` from `base` on, upwards if n > 0 and downwards if n < 0;
// 0xffffffff if there is none.
unsigned __fns(unsigned mask, unsigned base, int n);

namespace simt {
// The bits of x at the set bits of `mask`, moved together at the low end.
unsigned extract_bits(unsigned x, unsigned mask);
}  // namespace simt

// 32 bits of high:low, shifted; the shift counts modulo 32, or (c) at most 32.
SIMT_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
SIMT_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
SIMT_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
SIMT_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Products: of the low 24 bits, and the high half of the full product.
SIMT_INLINE int __mul24(int a, int b) {
  const std::int64_t product = std::int64_t{static_cast<std::int32_t>(unsigned(a) << 8) >> 8} *
                               (static_cast<std::int32_t>(unsigned(b) << 8) >> 8);
  return static_cast<int>(product);
}
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
SIMT_INLINE int __mulhi(int a, int b) { return static_cast<int>((std::int64_t{a} * b) >> 32); }
SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} * b) >> 32);
}
SIMT_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// |a - b| + c, and averages rounded down (h) or up (rh).
SIMT_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
SIMT_INLINE unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(std::llabs(static_cast<long long>(a) - b)) + c;
}
SIMT_INLINE int __hadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b) >> 1); }
SIMT_INLINE int __rhadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b + 1) >> 1); }
SIMT_INLINE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} + b) >> 1);
}
SIMT_INLINE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1);
}

// c plus the dot product of four bytes.
int __dp4a(int a, int b, int c);
unsigned __dp4a(unsigned a, unsigned b, unsigned c);
SIMT_INLINE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c);
}
SIMT_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c);
}

// The same bits as another type.
SIMT_INLINE int __float_as_int(float x) { return std::bit_cast<int>(x); }
SIMT_INLINE unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
SIMT_INLINE float __int_as_float(int x) { return std::bit_cast<float>(x); }
SIMT_INLINE float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
SIMT_INLINE long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
SIMT_INLINE double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
SIMT_INLINE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
SIMT_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
SIMT_INLINE double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                               static_cast<unsigned>(low));
}
