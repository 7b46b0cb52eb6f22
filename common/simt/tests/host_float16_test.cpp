// SPDX-License-Identifier: MIT
// half and bfloat16 against exact arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "host_test.h"

namespace {

constexpr int kNumBits = 1 << 16;

// The value of a half's bits, by definition.
double value_of_half(unsigned bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Half, HoldsEveryValue) {
  for (int bits = 0; bits < kNumBits; ++bits) {
    const half h = __ushort_as_half(static_cast<unsigned short>(bits));
    const double expected = value_of_half(static_cast<unsigned>(bits));
    if (std::isnan(expected)) {
      EXPECT_TRUE(__hisnan(h));
      continue;
    }
    ASSERT_EQ(static_cast<double>(__half2float(h)), expected) << bits;
    ASSERT_EQ(__half_as_ushort(__float2half(static_cast<float>(expected))), bits);
  }
}

TEST(Half, RoundsToNearestEvenBetweenEveryTwoNeighbours) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double below = value_of_half(bits), above = value_of_half(bits + 1);
    const double middle = (below + above) / 2;
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(half(middle).__x, even);
    ASSERT_EQ(half(std::nextafter(middle, below)).__x, bits);
    ASSERT_EQ(half(std::nextafter(middle, above)).__x, bits + 1);
    ASSERT_EQ(__float2half_rz(static_cast<float>(middle)).__x, bits);
    ASSERT_EQ(__float2half_ru(static_cast<float>(middle)).__x, bits + 1);
    ASSERT_EQ(__float2half_rd(static_cast<float>(-middle)).__x, 0x8000 | (bits + 1));
  }
}

TEST(Half, OverflowsAsItsRoundingSays) {
  EXPECT_EQ(__float2half(65519.0f).__x, 0x7bff);
  EXPECT_EQ(__float2half(65520.0f).__x, 0x7c00);
  EXPECT_EQ(__float2half_rz(1e30f).__x, 0x7bff);
  EXPECT_EQ(__float2half_rd(1e30f).__x, 0x7bff);
  EXPECT_EQ(__float2half_ru(-1e30f).__x, 0xfbff);
  EXPECT_EQ(__float2half(-INFINITY).__x, 0xfc00);
  EXPECT_EQ(__float2half(1e-10f).__x, 0);
  EXPECT_EQ(__float2half_ru(1e-10f).__x, 1);
  EXPECT_EQ(__float2half(-0.0f).__x, 0x8000);
}

TEST(Half, ComputesWithOneRounding) {
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const half a = __ushort_as_half(static_cast<unsigned short>(bits));
    const half b = __ushort_as_half(static_cast<unsigned short>(bits >> 16));
    const half c = __ushort_as_half(static_cast<unsigned short>(random()));
    const double x = float(a), y = float(b), z = float(c);
    if (std::isnan(x + y + z)) continue;
    // Sums, products and quotients of halfs round through double without an error.
    ASSERT_EQ((a + b).__x, half(x + y).__x);
    ASSERT_EQ((a * b).__x, half(x * y).__x);
    ASSERT_EQ((a / b).__x, half(x / y).__x);
    // x y + z is exact in long double: 22 bits, at exponents from -48 on, and 11 bits below 2^16.
    const long double exact = static_cast<long double>(x) * y + z;
    const double nearby = static_cast<double>(exact);
    const double odd = static_cast<long double>(nearby) == exact ? nearby
                       : (std::bit_cast<std::uint64_t>(nearby) & 1) != 0
                           ? nearby
                           : std::nextafter(nearby, exact > nearby ? INFINITY : -INFINITY);
    if (std::isnan(odd)) continue;
    ASSERT_EQ(__hfma(a, b, c).__x, half(odd).__x);
  }
}

TEST(Half, HasOperatorsAndFunctions) {
  half h = 1.5f;
  h += 2;
  h *= half(2.0);
  EXPECT_EQ(float(-h), -7.0f);
  EXPECT_TRUE(h > half(6) && h <= half(7) && h != half(0) && __hgt(h, half(6)));
  EXPECT_EQ(float(++h), 8.0f);
  EXPECT_EQ(float(hsqrt(half(16))), 4.0f);
  EXPECT_EQ(float(__hmax(half(NAN), half(1))), 1.0f);
  EXPECT_EQ(float(__hadd_sat(half(0.75f), half(0.75f))), 1.0f);
  EXPECT_EQ(__half2int_rn(half(2.5f)), 2);
  EXPECT_EQ(__half2int_rd(half(-2.5f)), -3);
  EXPECT_EQ(float(__int2half_rn(2049)), 2048.0f);
  EXPECT_EQ(float(__int2half_ru(2049)), 2050.0f);
  EXPECT_EQ(int(half(-3.75f)), -3);
  EXPECT_FALSE(half(NAN) == half(NAN));
}

TEST(Half, WorksInPairs) {
  const half2 v = __floats2half2_rn(1, 2);
  const half2 w = __hfma2(v, v, __half2half2(half(1)));
  EXPECT_EQ(__low2float(w), 2.0f);
  EXPECT_EQ(__high2float(w), 5.0f);
  EXPECT_EQ(float(__low2half(__lowhigh2highlow(w))), 5.0f);
  EXPECT_EQ(__half22float2(v * w - v).y, 8.0f);
  EXPECT_TRUE(__hbgt2(w, v));
  EXPECT_EQ(__low2float(__heq2(v, make_half2(1, 3))), 1.0f);
  static_assert(sizeof(half2) == 4 && alignof(half2) == 4 && sizeof(half) == 2);
  static_assert(std::is_trivially_default_constructible_v<half2>, "may be in shared memory");
}

TEST(Bfloat16, RoundsToNearestEven) {
  std::mt19937 random(8);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const float x = __uint_as_float(bits);
    if (std::isnan(x)) continue;
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    ASSERT_EQ(__float2bfloat16(x).__x, rounded) << x;
    ASSERT_EQ(__float_as_uint(
                  __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(rounded)))),
              rounded << 16);
  }
}

TEST(Bfloat16, HasOperatorsAndPairs) {
  nv_bfloat16 b = 1.0f;
  b += 0.5f;
  EXPECT_EQ(float(b * b), 2.25f);
  EXPECT_EQ(float(__float2bfloat16(1.00390625f)), 1.0f) << "a tie";
  EXPECT_EQ(float(__float2bfloat16_ru(1.00390625f)), 1.0078125f);
  EXPECT_EQ(__high2float(__floats2bfloat162_rn(1, 2) + __bfloat162bfloat162(b)), 3.5f);
}

// The value of a byte, by definition; E4M3 has no infinity, and one NaN of each sign.
double value_of_byte(unsigned bits, int fraction_bits) {
  const unsigned field = (bits & 0x7f) >> fraction_bits, one = 1u << fraction_bits;
  const unsigned fraction = bits & (one - 1);
  const int bias = fraction_bits == 3 ? 7 : 15;
  if (fraction_bits == 3 && (bits & 0x7f) == 0x7f) return NAN;
  const bool is_last = fraction_bits == 2 && field == 31;
  const double magnitude = is_last ? (fraction == 0 ? INFINITY : NAN)
                           : field == 0
                               ? std::ldexp(fraction, 1 - bias - fraction_bits)
                               : std::ldexp(one + fraction, int(field) - bias - fraction_bits);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

template <class Float8>
void expect_bytes(int fraction_bits, unsigned largest) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    Float8 number;
    number.__x = static_cast<unsigned char>(bits);
    const double expected = value_of_byte(bits, fraction_bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(number))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(number), expected) << bits;
    if ((bits & 0x7f) >= largest) continue;
    ASSERT_EQ(Float8(expected).__x, bits);
    const double next = value_of_byte(bits + 1, fraction_bits), middle = (expected + next) / 2;
    ASSERT_EQ(Float8(middle).__x, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(Float8(std::nextafter(middle, expected)).__x, bits);
    ASSERT_EQ(Float8(std::nextafter(middle, next)).__x, bits + 1);
  }
}

TEST(Float8, HoldsEveryValueAndRoundsToNearestEven) {
  expect_bytes<__nv_fp8_e4m3>(3, 0x7e);
  expect_bytes<__nv_fp8_e5m2>(2, 0x7b);
}

TEST(Float8, OverflowsAsAsked) {
  EXPECT_EQ(__nv_fp8_e4m3(1e6f).__x, 0x7e);
  EXPECT_EQ(__nv_fp8_e5m2(-INFINITY).__x, 0xfb);
  EXPECT_EQ(__nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3), 0x7e);
  EXPECT_EQ(__nv_cvt_float_to_fp8(465.0f, __NV_NOSAT, __NV_E4M3), 0x7f);
  EXPECT_EQ(__nv_cvt_float_to_fp8(-1e6f, __NV_NOSAT, __NV_E5M2), 0xfc);
  EXPECT_EQ(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E5M2), 0x7f);
}

TEST(Float8, ConvertsHalvesAndVectors) {
  const __nv_fp8x4_e4m3 four(__half2(1.0f, -2.0f), __half2(0.5f, 448.0f));
  const auto values = static_cast<float4>(four);
  EXPECT_EQ(values.x, 1);
  EXPECT_EQ(values.y, -2);
  EXPECT_EQ(values.z, 0.5f);
  EXPECT_EQ(values.w, 448);
  const __nv_fp8x2_storage_t two = __nv_cvt_halfraw2_to_fp8x2(
      {__half_raw(half(3)).x, __half_raw(half(-0.25)).x}, __NV_SATFINITE, __NV_E5M2);
  const __half2_raw back = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E5M2);
  EXPECT_EQ(__half2float(__half_raw{back.x}), 3);
  EXPECT_EQ(__half2float(__half_raw{back.y}), -0.25f);
  EXPECT_EQ(static_cast<int>(__nv_fp8_e4m3(-17)), -16);  // 17 is halfway between 16 and 18
  EXPECT_TRUE(static_cast<bool>(__nv_fp8_e4m3(1)));
}

}  // namespace
