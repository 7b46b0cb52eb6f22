// SPDX-License-Identifier: MIT
// Arithmetic and conversions with a stated rounding, and the fast functions: one instruction or a
// few each. _rn rounds to nearest even, _rz to zero, _ru up, _rd down. None of them is fused into a
// multiply-add.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/math.h"

#ifdef __CUDA__

#define LOCKSTEP_ROUNDED(suffix, mode)                                                             \
  LOCKSTEP_DEVICE float __fadd_##suffix(float a, float b) { return __nvvm_add_##mode##_f(a, b); }  \
  LOCKSTEP_DEVICE float __fsub_##suffix(float a, float b) { return __nvvm_add_##mode##_f(a, -b); } \
  LOCKSTEP_DEVICE float __fmul_##suffix(float a, float b) { return __nvvm_mul_##mode##_f(a, b); }  \
  LOCKSTEP_DEVICE float __fdiv_##suffix(float a, float b) { return __nvvm_div_##mode##_f(a, b); }  \
  LOCKSTEP_DEVICE float __frcp_##suffix(float a) { return __nvvm_rcp_##mode##_f(a); }              \
  LOCKSTEP_DEVICE float __fsqrt_##suffix(float a) { return __nvvm_sqrt_##mode##_f(a); }            \
  LOCKSTEP_DEVICE float __fmaf_##suffix(float a, float b, float c) {                               \
    return __nvvm_fma_##mode##_f(a, b, c);                                                         \
  }                                                                                                \
  LOCKSTEP_DEVICE double __dadd_##suffix(double a, double b) {                                     \
    return __nvvm_add_##mode##_d(a, b);                                                            \
  }                                                                                                \
  LOCKSTEP_DEVICE double __dsub_##suffix(double a, double b) {                                     \
    return __nvvm_add_##mode##_d(a, -b);                                                           \
  }                                                                                                \
  LOCKSTEP_DEVICE double __dmul_##suffix(double a, double b) {                                     \
    return __nvvm_mul_##mode##_d(a, b);                                                            \
  }                                                                                                \
  LOCKSTEP_DEVICE double __ddiv_##suffix(double a, double b) {                                     \
    return __nvvm_div_##mode##_d(a, b);                                                            \
  }                                                                                                \
  LOCKSTEP_DEVICE double __drcp_##suffix(double a) { return __nvvm_rcp_##mode##_d(a); }            \
  LOCKSTEP_DEVICE double __dsqrt_##suffix(double a) { return __nvvm_sqrt_##mode##_d(a); }          \
  LOCKSTEP_DEVICE double __fma_##suffix(double a, double b, double c) {                            \
    return __nvvm_fma_##mode##_d(a, b, c);                                                         \
  }                                                                                                \
  LOCKSTEP_DEVICE float __double2float_##suffix(double x) { return __nvvm_d2f_##mode(x); }         \
  LOCKSTEP_TO_INTEGER(int, int, i, suffix, mode)                                                   \
  LOCKSTEP_TO_INTEGER(uint, unsigned int, ui, suffix, mode)                                        \
  LOCKSTEP_TO_INTEGER(ll, long long, ll, suffix, mode)                                             \
  LOCKSTEP_TO_INTEGER(ull, unsigned long long, ull, suffix, mode)                                  \
  LOCKSTEP_DEVICE double __ll2double_##suffix(long long x) { return __nvvm_ll2d_##mode(x); }       \
  LOCKSTEP_DEVICE double __ull2double_##suffix(unsigned long long x) {                             \
    return __nvvm_ull2d_##mode(x);                                                                 \
  }
// Values out of range give the nearest limit, as the instruction does.
#define LOCKSTEP_TO_INTEGER(name, type, letters, suffix, mode) \
  LOCKSTEP_DEVICE type __float2##name##_##suffix(float x) {    \
    return static_cast<type>(__nvvm_f2##letters##_##mode(x));  \
  }                                                            \
  LOCKSTEP_DEVICE type __double2##name##_##suffix(double x) {  \
    return static_cast<type>(__nvvm_d2##letters##_##mode(x));  \
  }                                                            \
  LOCKSTEP_DEVICE float __##name##2float_##suffix(type x) { return __nvvm_##letters##2f_##mode(x); }
LOCKSTEP_ROUNDED(rn, rn)
LOCKSTEP_ROUNDED(rz, rz)
LOCKSTEP_ROUNDED(ru, rp)
LOCKSTEP_ROUNDED(rd, rm)
#undef LOCKSTEP_ROUNDED
#undef LOCKSTEP_TO_INTEGER
LOCKSTEP_DEVICE double __int2double_rn(int x) { return x; }
LOCKSTEP_DEVICE double __uint2double_rn(unsigned int x) { return x; }
LOCKSTEP_DEVICE float __frsqrt_rn(float x) {
  return __nvvm_d2f_rn(__nvvm_rcp_rn_d(__nvvm_sqrt_rn_d(x)));
}

// The fast functions, with errors of a few units in the last place.
LOCKSTEP_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
LOCKSTEP_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
LOCKSTEP_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(x);
  *cosine = __nvvm_cos_approx_f(x);
}
LOCKSTEP_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
LOCKSTEP_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
LOCKSTEP_DEVICE float __tanhf(float x) {
  float result;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
LOCKSTEP_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
LOCKSTEP_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
LOCKSTEP_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
LOCKSTEP_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994531f; }
LOCKSTEP_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398120f; }
LOCKSTEP_DEVICE float __powf(float x, float y) {
  return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
LOCKSTEP_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }  // NaN becomes 0
LOCKSTEP_DEVICE float fdividef(float x, float y) { return x / y; }
LOCKSTEP_DEVICE double fdivide(double x, double y) { return x / y; }

#endif
