// SPDX-License-Identifier: MIT
// CUDA's names for 8-bit floating-point numbers. simt/float8.h has the types.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/float8.h"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
using __nv_fp8_e4m3 = simt::Float8<simt::E4m3Format>;
using __nv_fp8_e5m2 = simt::Float8<simt::E5m2Format>;
using __nv_fp8x2_e4m3 = simt::Float8x2<simt::E4m3Format>;
using __nv_fp8x2_e5m2 = simt::Float8x2<simt::E5m2Format>;
using __nv_fp8x4_e4m3 = simt::Float8x4<simt::E4m3Format>;
using __nv_fp8x4_e5m2 = simt::Float8x4<simt::E5m2Format>;

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t format) {
  const bool saturates = saturation == __NV_SATFINITE;
  return format == __NV_E4M3 ? simt::encode_float8<simt::E4m3Format>(x, saturates)
                             : simt::encode_float8<simt::E5m2Format>(x, saturates);
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(v.x, saturation, format) |
                                           __nv_cvt_double_to_fp8(v.y, saturation, format) << 8);
}

#define SIMT_TO_FP8(name, Type, expression)                                                     \
  SIMT_INLINE __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(Type x, __nv_saturation_t saturation, \
                                                          __nv_fp8_interpretation_t format) {   \
    return __nv_cvt_double_to_fp8(static_cast<float>(expression), saturation, format);          \
  }
SIMT_TO_FP8(float, float, x)
SIMT_TO_FP8(halfraw, __half_raw, __half(x))
SIMT_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16(x))
#undef SIMT_TO_FP8

#define SIMT_TO_FP8X2(name, scalar, Type, Scalar)                                      \
  SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(                         \
      Type v, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {        \
    const unsigned low = __nv_cvt_##scalar##_to_fp8(Scalar{v.x}, saturation, format);  \
    const unsigned high = __nv_cvt_##scalar##_to_fp8(Scalar{v.y}, saturation, format); \
    return static_cast<__nv_fp8x2_storage_t>(low | high << 8);                         \
  }
SIMT_TO_FP8X2(float2, float, float2, float)
SIMT_TO_FP8X2(halfraw2, halfraw, __half2_raw, __half_raw)
SIMT_TO_FP8X2(bfloat16raw2, bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw)
#undef SIMT_TO_FP8X2

SIMT_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                               __nv_fp8_interpretation_t format) {
  return __half(format == __NV_E4M3 ? simt::decode_float8<simt::E4m3Format>(x)
                                    : simt::decode_float8<simt::E5m2Format>(x));
}
SIMT_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                   __nv_fp8_interpretation_t format) {
  const auto low = static_cast<__nv_fp8_storage_t>(x & 0xff);
  const auto high = static_cast<__nv_fp8_storage_t>(x >> 8);
  return {__nv_cvt_fp8_to_halfraw(low, format).x, __nv_cvt_fp8_to_halfraw(high, format).x};
}
