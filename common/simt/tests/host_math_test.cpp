// SPDX-License-Identifier: MIT
// Pure functions: bit intrinsics, rounded arithmetic, special functions, min and max.
#include <math_constants.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "host_test.h"

namespace {

TEST(IntegerIntrinsics, CountBits) {
  EXPECT_EQ(__popc(0xf0f00001u), 9);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(0x80), 8);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
}

TEST(IntegerIntrinsics, MoveBits) {
  EXPECT_EQ(__brev(0x00000001u), 0x80000000u);
  EXPECT_EQ(__brev(0x12345678u), 0x1e6a2c48u);
  EXPECT_EQ(__brevll(0x1ull), 1ull << 63);
  EXPECT_EQ(__brevll(0x0123456789abcdefull), 0xf7b3d591e6a2c480ull);
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x80, 0, 0x0008), 0x808080ffu) << "selector bit 3 spreads the sign";
  EXPECT_EQ(__funnelshift_l(0x80000000u, 0x1u, 4), 0x18u);
  EXPECT_EQ(__funnelshift_r(0x10u, 0x1u, 4), 0x10000001u);
  EXPECT_EQ(__funnelshift_l(5, 7, 32), 7u) << "counts modulo 32";
  EXPECT_EQ(__funnelshift_lc(5, 7, 40), 5u) << "counts to 32";
  EXPECT_EQ(__funnelshift_rc(5, 7, 32), 7u);
  EXPECT_EQ(__fns(0b10110, 0, 1), 1u);
  EXPECT_EQ(__fns(0b10110, 0, 3), 4u);
  EXPECT_EQ(__fns(0b10110, 3, -2), 1u);
  EXPECT_EQ(__fns(0b10110, 0, 4), 0xffffffffu);
  EXPECT_EQ(simt::extract_bits(0b11010, 0b11100), 0b110u);
}

TEST(IntegerIntrinsics, Multiply) {
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__mul24(0x01000002, 3), 6) << "only 24 bits count";
  EXPECT_EQ(__umul24(0xff000003u, 4), 12u);
  EXPECT_EQ(__mulhi(-1, 2), -1);
  EXPECT_EQ(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__sad(-5, 7, 100), 112u);
  EXPECT_EQ(__usad(7, 0xffffffffu, 0), 0xfffffff8u);
  EXPECT_EQ(__hadd(-3, 2), -1);
  EXPECT_EQ(__uhadd(0xffffffffu, 0xffffffffu), 0xffffffffu);
  EXPECT_EQ(__dp4a(static_cast<int>(0xff010203), 0x01010101, 10), 15);
  EXPECT_EQ(__dp4a(0xff010203u, 0x01010101u, 10u), 271u);
}

TEST(IntegerIntrinsics, WorkOnPartsOfWords) {
  EXPECT_EQ(__vadd2(0xffff0001u, 0x0002ffffu), 0x00010000u) << "no carry between the parts";
  EXPECT_EQ(__vadd4(0xff01807fu, 0x01ff8001u), 0x00000080u);
  EXPECT_EQ(__vsub2(0x00010000u, 0x00020001u), 0xffffffffu);
  EXPECT_EQ(__vsub4(0x05000080u, 0x03010081u), 0x02ff00ffu);
  EXPECT_EQ(__vabsdiffu2(0x0001ffffu, 0x00030001u), 0x0002fffeu);
  EXPECT_EQ(__vabsdiffu4(0x00ff1020u, 0xff002010u), 0xffff1010u);
  EXPECT_EQ(__vaddss4(0x7f80017fu, 0x01ff0280u), 0x7f8003ffu) << "stops at the limits";
  EXPECT_EQ(__vsubus2(0x00010005u, 0x00020001u), 0x00000004u);
  EXPECT_EQ(__vmaxs2(0xffff0001u, 0x0000ffffu), 0x00000001u);
  EXPECT_EQ(__vmaxu2(0xffff0001u, 0x0000ffffu), 0xffffffffu);
  EXPECT_EQ(__vcmpgtu4(0x05000105u, 0x04010105u), 0xff000000u);
  EXPECT_EQ(__vsetlts4(0xff000105u, 0x00000105u), 0x01000000u);
  EXPECT_EQ(__vavgs2(0x0001fffeu, 0x0002ffffu), 0x0002fffeu) << "away from zero";
  EXPECT_EQ(__vneg2(0x8000ffffu), 0x80000001u);
  EXPECT_EQ(__vnegss2(0x8000ffffu), 0x7fff0001u);
  EXPECT_EQ(__vsads2(0x80000001u, 0x7fff0003u), 0x00010001u);
}

TEST(IntegerIntrinsics, ChooseForDynamicProgramming) {
  EXPECT_EQ(__vimax3_s32(-3, 7, 5), 7);
  EXPECT_EQ(__vimin3_u32(0xffffffffu, 7, 9), 7u);
  EXPECT_EQ(__vimax3_s16x2(0xffff0001u, 0xfffe0002u, 0x80000003u), 0xffff0003u);
  EXPECT_EQ(__vimin3_u16x2(0xffff0001u, 0xfffe0002u, 0x80000003u), 0x80000001u);
  EXPECT_EQ(__vimax3_s32_relu(-3, -7, -5), 0);
  EXPECT_EQ(__vimin3_s16x2_relu(0xffff0005u, 0x00010006u, 0x00020007u), 0x00000005u);
  EXPECT_EQ(__viaddmax_s32(5, -9, -7), -4);
  EXPECT_EQ(__viaddmin_s32(0x7fffffff, 1, 0), -0x7fffffff - 1) << "the sum wraps";
  EXPECT_EQ(__viaddmax_u32(0xffffffffu, 2, 0), 1u);
  EXPECT_EQ(__viaddmax_s16x2(0x7fff0001u, 0x00010001u, 0x00000000u), 0x00000002u);
  EXPECT_EQ(__viaddmin_u16x2(0xffff0001u, 0x00020001u, 0x00050005u), 0x00010002u);
  EXPECT_EQ(__viaddmin_s32_relu(-5, 1, 3), 0);
  EXPECT_EQ(__vimax_s32_relu(-5, -1), 0);
  EXPECT_EQ(__vimin_s16x2_relu(0xffff0005u, 0x00030004u), 0x00000004u);
}

TEST(IntegerIntrinsics, SayWhatTheyHaveChosen) {
  bool high = false, low = false;
  EXPECT_EQ(__vibmax_s32(-1, -1, &low), -1);
  EXPECT_TRUE(low) << "the first of two equal numbers";
  EXPECT_EQ(__vibmin_u32(5, 3, &low), 3u);
  EXPECT_FALSE(low);
  EXPECT_EQ(__vibmax_s16x2(0xffff0005u, 0x00010004u, &high, &low), 0x00010005u);
  EXPECT_FALSE(high);
  EXPECT_TRUE(low);
  EXPECT_EQ(__vibmin_u16x2(0xffff0005u, 0x00010004u, &high, &low), 0x00010004u);
  EXPECT_FALSE(high);
  EXPECT_FALSE(low);
}

TEST(RoundedArithmetic, RoundsAsItSays) {
  const float one_up = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(__fadd_rn(1.0f, 1e-12f), 1.0f);
  EXPECT_EQ(__fadd_ru(1.0f, 1e-12f), one_up);
  EXPECT_EQ(__fadd_rd(1.0f, 1e-12f), 1.0f);
  EXPECT_EQ(__fsub_rz(1.0f, 1e-12f), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(__fdiv_rn(1.0f, 3.0f), 1.0f / 3.0f);
  EXPECT_GT(__fdiv_ru(1.0f, 3.0f), __fdiv_rd(1.0f, 3.0f));
  EXPECT_GT(__dsqrt_ru(2.0), __dsqrt_rd(2.0));
  EXPECT_EQ(__fmaf_rn(one_up, one_up, -1.0f), std::fma(one_up, one_up, -1.0f));
  EXPECT_GT(__double2float_ru(0.1), __double2float_rd(0.1));
  EXPECT_GT(__int2float_ru(16777217), __int2float_rd(16777217));
  EXPECT_EQ(__ll2double_rz((1ll << 53) + 1), 9007199254740992.0);
  EXPECT_EQ(1.0f / 3.0f, __fdiv_rn(1.0f, 3.0f)) << "the mode is restored";
}

TEST(RoundedArithmetic, ConvertsToIntegersAsHardwareDoes) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_rn(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_rn(-1e20f), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2int_rn(NAN), 0);
  EXPECT_EQ(__float2uint_rz(-5.0f), 0u);
  EXPECT_EQ(__float2uint_rz(4e9f), 4000000000u);
  EXPECT_EQ(__double2ll_rn(1e300), std::numeric_limits<long long>::max());
  EXPECT_EQ(__double2ull_rn(1.8446744073709552e19), ~0ull);
}

TEST(SpecialFunctions, AreAccurate) {
  EXPECT_DOUBLE_EQ(rsqrt(4.0), 0.5);
  EXPECT_FLOAT_EQ(rsqrtf(0.25f), 2.0f);
  EXPECT_EQ(sinpi(1.0), 0.0);
  EXPECT_EQ(sinpi(0.5), 1.0);
  EXPECT_EQ(cospi(0.5), 0.0);
  EXPECT_EQ(cospi(3.0), -1.0);
  EXPECT_DOUBLE_EQ(sinpi(-0.25), -std::sqrt(0.5));
  for (const double x : {-0.999, -0.5, -1e-9, 0.0, 1e-300, 0.3, 0.75, 0.9999999}) {
    EXPECT_NEAR(erf(erfinv(x)), x, 4e-16 * std::fabs(x) + 1e-16) << x;
  }
  for (const double y : {1e-200, 1e-20, 0.01, 0.5, 1.0, 1.9}) {
    EXPECT_NEAR(erfc(erfcinv(y)) / y, 1, 1e-12) << y;
  }
  EXPECT_TRUE(std::isinf(erfinv(1.0)));
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_NEAR(erfcx(9.99999) / erfcx(10.00001), 1, 1e-5) << "both methods agree where they meet";
  EXPECT_DOUBLE_EQ(normcdf(0.0), 0.5);
  EXPECT_NEAR(normcdfinv(0.975), 1.959963984540054, 1e-14);
  EXPECT_DOUBLE_EQ(norm3d(2.0, 3.0, 6.0), 7.0);
  const double doubles[] = {2e200, 4e200, 5e200, 6e200};
  EXPECT_DOUBLE_EQ(norm(4, doubles), 9e200) << "the squares are out of range";
  EXPECT_DOUBLE_EQ(rnorm(4, doubles), 1 / 9e200);
  EXPECT_EQ(norm(0, doubles), 0.0);
  const float floats[] = {2e30f, 3e30f, 6e30f};
  EXPECT_FLOAT_EQ(normf(3, floats), 7e30f);
  EXPECT_FLOAT_EQ(rnormf(3, floats), 1 / 7e30f);
  EXPECT_EQ(__frsqrt_rn(16.0f), 0.25f);
  EXPECT_FLOAT_EQ(__expf(1.0f), std::exp(1.0f));
  EXPECT_FLOAT_EQ(__powf(2.0f, 0.5f), CUDART_SQRT_TWO_F);
  EXPECT_EQ(__saturatef(NAN), 0.0f);
}

TEST(MinMax, WorksWithAllPairsOfTypes) {
  EXPECT_EQ(min(3, 4), 3);
  EXPECT_EQ(max(3u, 4), 4u);
  EXPECT_EQ(max(-1, 0u), 0xffffffffu) << "in unsigned arithmetic, as in CUDA";
  EXPECT_EQ(min(1.5f, 2.5), 1.5);
  EXPECT_EQ(max(1ll << 40, 1ll), 1ll << 40);
  EXPECT_EQ(min(NAN, 2.0f), 2.0f);
  EXPECT_EQ(umin(1u, 0xffffffffu), 1u);
  EXPECT_EQ(umax(1u, 0xffffffffu), 0xffffffffu);
  EXPECT_EQ(llmin(-1ll << 40, 1), -1ll << 40);
  EXPECT_EQ(llmax(-1ll << 40, 1), 1);
  EXPECT_EQ(ullmin(~0ull, 1), 1u);
  EXPECT_EQ(ullmax(~0ull, 1), ~0ull);
  static_assert(max(std::size_t{3}, std::size_t{4}) == 4);
  using namespace std;
  EXPECT_EQ(max(1, 2), 2) << "not ambiguous with std::max";
  EXPECT_EQ(min(short{1}, short{2}), 1);
}

TEST(Bits, AreReinterpreted) {
  EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__int_as_float(0x7f800000), CUDART_INF_F);
  EXPECT_EQ(__longlong_as_double(__double_as_longlong(-0.1)), -0.1);
  EXPECT_EQ(__hiloint2double(__double2hiint(3.25), __double2loint(3.25)), 3.25);
  EXPECT_TRUE(std::isnan(CUDART_NAN_F) && std::isnan(CUDART_NAN));
}

TEST(VectorTypes, HaveTheDevicesLayout) {
  static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
  static_assert(alignof(float4) == 16 && alignof(float2) == 8 && alignof(double2) == 16);
  static_assert(alignof(uchar4) == 4 && alignof(short2) == 4 && alignof(int4) == 16);
  static_assert(sizeof(dim3) == 12);
  const float4 v = make_float4(1, 2, 3, 4);
  EXPECT_EQ(v.x + v.y * v.z + v.w, 11);
  const dim3 grid = 7;
  EXPECT_EQ(grid.x + grid.y + grid.z, 9u);
  const uint3 index = grid;
  EXPECT_EQ(index.y, 1u);
}

}  // namespace
