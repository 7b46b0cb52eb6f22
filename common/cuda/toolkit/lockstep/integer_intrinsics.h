// SPDX-License-Identifier: MIT
// Integer intrinsics and reinterpretations: pure functions of one instruction or a few.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

// Counting bits. Leading zeros of 0 are all bits; the first set bit counts from 1, none is 0.
LOCKSTEP_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
LOCKSTEP_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LOCKSTEP_DEVICE int __clz(int x) { return __builtin_clzg(static_cast<unsigned int>(x), 32); }
LOCKSTEP_DEVICE int __clzll(long long x) {
  return __builtin_clzg(static_cast<unsigned long long>(x), 64);
}
LOCKSTEP_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
LOCKSTEP_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }

// Bits and bytes in reverse, or picked out of two words by a selector's nibbles.
LOCKSTEP_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
LOCKSTEP_DEVICE unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
LOCKSTEP_DEVICE unsigned int __byte_perm(unsigned int low, unsigned int high,
                                         unsigned int selector) {
  return __nvvm_prmt(low, high, selector & 0x7777);
}

// The place of the n-th set bit of `mask` from `base` on, upwards if n > 0 and downwards if n < 0;
// 0xffffffff if there is none.
LOCKSTEP_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n) {
  return __nvvm_fns(mask, base, n);
}

// 32 bits of high:low, shifted; the shift counts modulo 32, or (c) at most 32.
LOCKSTEP_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                             unsigned int shift) {
  unsigned int result;
  __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
LOCKSTEP_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                             unsigned int shift) {
  unsigned int result;
  __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
LOCKSTEP_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                              unsigned int shift) {
  unsigned int result;
  __asm__("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
LOCKSTEP_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                              unsigned int shift) {
  unsigned int result;
  __asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}

// Products: of the low 24 bits, and the high half of the full product.
LOCKSTEP_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
LOCKSTEP_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) {
  return __nvvm_mul24_ui(a, b);
}
LOCKSTEP_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
LOCKSTEP_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
LOCKSTEP_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
LOCKSTEP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}

// |a - b| + c, and averages rounded down (h) or up (rh).
LOCKSTEP_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return __nvvm_sad_ui(a, b, c);
}
LOCKSTEP_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
  return static_cast<unsigned int>(__nvvm_sad_i(a, b, static_cast<int>(c)));
}
LOCKSTEP_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
LOCKSTEP_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
LOCKSTEP_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) {
  return (a & b) + ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) {
  return (a | b) - ((a ^ b) >> 1);
}

// c plus the dot product of four bytes, or of two halfwords with the low (lo) or high (hi) bytes.
#define LOCKSTEP_DOT(name, T, instruction)                                           \
  LOCKSTEP_DEVICE T name(T a, T b, T c) {                                            \
    T result;                                                                        \
    __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
    return result;                                                                   \
  }
LOCKSTEP_DOT(__dp4a, int, "dp4a.s32.s32")
LOCKSTEP_DOT(__dp4a, unsigned int, "dp4a.u32.u32")
LOCKSTEP_DOT(__dp2a_lo, int, "dp2a.lo.s32.s32")
LOCKSTEP_DOT(__dp2a_lo, unsigned int, "dp2a.lo.u32.u32")
LOCKSTEP_DOT(__dp2a_hi, int, "dp2a.hi.s32.s32")
LOCKSTEP_DOT(__dp2a_hi, unsigned int, "dp2a.hi.u32.u32")
#undef LOCKSTEP_DOT
LOCKSTEP_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
LOCKSTEP_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
#define LOCKSTEP_DOT2(name)                                                                   \
  LOCKSTEP_DEVICE int name(short2 a, char4 b, int c) {                                        \
    return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);                   \
  }                                                                                           \
  LOCKSTEP_DEVICE unsigned int name(ushort2 a, uchar4 b, unsigned int c) {                    \
    return name(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c); \
  }
LOCKSTEP_DOT2(__dp2a_lo)
LOCKSTEP_DOT2(__dp2a_hi)
#undef LOCKSTEP_DOT2

#endif

// The same bits as another type.
LOCKSTEP_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LOCKSTEP_INLINE unsigned int __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned int, x);
}
LOCKSTEP_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LOCKSTEP_INLINE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
LOCKSTEP_INLINE long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
LOCKSTEP_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LOCKSTEP_INLINE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
LOCKSTEP_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
LOCKSTEP_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
      static_cast<unsigned int>(low)));
}
