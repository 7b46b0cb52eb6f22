// SPDX-License-Identifier: MIT
// Inline PTX: what each instruction gives, and that its accesses are checked as C++'s are.
#include <cstdint>
#include <string>

#include "device_test.h"

namespace simt_test::ptx_test {
namespace {

class Ptx : public DeviceTest {};

// Runs f(out) in one thread; returns what it wrote.
#define PTX_RESULT(name, T, ...)                               \
  __global__ void name##_kernel(T* out) __VA_ARGS__ T name() { \
    Managed<T> out(1);                                         \
    name##_kernel<<<1, 1>>>(out.get());                        \
    return out[0];                                             \
  }

PTX_RESULT(sum_with_carry, unsigned long long, {
  unsigned low = 0xffffffffu, high = 1, b = 1, c = 2;
  asm("add.cc.u32 %0, %0, %2;\n\t"
      "addc.u32 %1, %1, %3;"
      : "+r"(low), "+r"(high)
      : "r"(b), "r"(c));
  *out = static_cast<unsigned long long>(high) << 32 | low;
})
PTX_RESULT(multiply_add, unsigned long long, {
  unsigned long long wide;
  int product;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(0x80000000u), "r"(4u), "l"(5ull));
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(product) : "r"(-3), "r"(7));
  *out = wide + static_cast<unsigned>(product + 1);
})
PTX_RESULT(bit_fields, unsigned, {
  unsigned taken, put, swapped, ones, logic;
  int negative;
  asm("bfe.u32 %0, %1, 8, 4;" : "=r"(taken) : "r"(0x00000f00u));
  asm("bfe.s32 %0, %1, 8, 4;" : "=r"(negative) : "r"(0x00000f00));
  asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(put) : "r"(0xabu), "r"(0xffff000fu));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(swapped) : "r"(0x11112222u), "r"(0x33334444u));
  asm("popc.b32 %0, %1;" : "=r"(ones) : "r"(0xf0f0u));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(logic) : "r"(12u), "r"(10u), "r"(6u));
  *out = taken == 15 && negative == -1 && put == 0xffff0abfu && swapped == 0x44442222u &&
         ones == 8 && logic == ((12 & 10) | (12 & 6) | (10 & 6));
})
PTX_RESULT(conversions, unsigned, {
  int rounded;
  float back, ieee;
  unsigned char limited;
  unsigned short limited_bits;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded) : "f"(2.5f));
  asm("cvt.rn.f32.u32 %0, %1;" : "=f"(back) : "r"(7u));
  asm("cvt.sat.u8.s32 %0, %1;" : "=h"(limited_bits) : "r"(300));
  asm("mov.f32 %0, 0f40490FDB;" : "=f"(ieee));
  limited = static_cast<unsigned char>(limited_bits);
  *out = rounded == 2 && back == 7.0f && limited == 255 && ieee > 3.14f && ieee < 3.15f;
})
// Rounded twice, a * a + c would be 0.
PTX_RESULT(fused_sums, unsigned, {
  constexpr unsigned short a = 0x3f81, c = 0xbf82;            // bf16: 1 + 2^-7, -(1 + 2^-6)
  constexpr unsigned short half_a = 0x3c01, half_c = 0xbc02;  // 1 + 2^-10, -(1 + 2^-9)
  unsigned short sum, half_sum;
  unsigned pair;
  asm("fma.rn.bf16 %0, %1, %1, %2;" : "=h"(sum) : "h"(a), "h"(c));
  asm("fma.rn.f16 %0, %1, %1, %2;" : "=h"(half_sum) : "h"(half_a), "h"(half_c));
  asm("fma.rn.bf16x2 %0, %1, %1, %2;" : "=r"(pair) : "r"(a * 0x10001u), "r"(c * 0x10001u));
  *out = sum == 0x3880 && half_sum == 0x0010 && pair == 0x38803880u;  // 2^-14, 2^-20
})
PTX_RESULT(limited_sums, unsigned, {
  unsigned short sum;
  unsigned pair;
  float real;
  int whole;
  asm("add.sat.f16 %0, %1, %1;" : "=h"(sum) : "h"(static_cast<unsigned short>(0x3a00)));
  asm("fma.rn.sat.f16x2 %0, %1, %1, %1;" : "=r"(pair) : "r"(0xbc003c00u));
  asm("mul.sat.f32 %0, %1, %1;" : "=f"(real) : "f"(-3.0f));
  asm("mad.hi.sat.s32 %0, %1, %1, %2;" : "=r"(whole) : "r"(0x40000000), "r"(0x7fffffff));
  *out = sum == 0x3c00 && pair == 0x00003c00u && real == 1 && whole == 0x7fffffff;
})
PTX_RESULT(branches, int, {
  int sum = 0;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      ".reg .s32 i, limit<2>;\n\t"
      "mov.s32 i, 0;  // counts\n\t"
      "mov.s32 limit1, 5;\n"
      "again:\n\t"
      "add.s32 i, i, 1;\n\t"
      "add.s32 %0, %0, i;\n\t"
      "setp.lt.s32 p, i, limit1;\n\t"
      "@p bra again;\n\t"
      "@!p add.s32 %0, %0, 100;\n\t"
      "}"
      : "+r"(sum));
  *out = sum;
})
PTX_RESULT(packed, unsigned long long, {
  unsigned low, high;
  unsigned long long both;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(0x0000000500000007ull));
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(high), "r"(low));
  *out = both;
})

TEST_F(Ptx, Calculates) {
  EXPECT_EQ(sum_with_carry(), 0x0000000400000000ull);
  EXPECT_EQ(multiply_add(), 0x200000005ull);
  EXPECT_EQ(bit_fields(), 1u);
  EXPECT_EQ(conversions(), 1u);
  EXPECT_EQ(fused_sums(), 1u);
  EXPECT_EQ(limited_sums(), 1u);
  EXPECT_EQ(branches(), 115);
  EXPECT_EQ(packed(), 0x0000000700000005ull);
}

__global__ void registers_kernel(unsigned* out) {
  unsigned lane, below, thread, block_size, warp;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(block_size));
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  out[threadIdx.x] = lane == threadIdx.x % 32 && below == (1u << lane) - 1 &&
                     thread == threadIdx.x && block_size == 64 && warp == threadIdx.x / 32;
}

TEST_F(Ptx, ReadsSpecialRegisters) {
  Managed<unsigned> out(64);
  registers_kernel<<<1, 64>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<unsigned>(64, 1));
}

__global__ void warp_kernel(unsigned* out) {
  unsigned value = threadIdx.x, neighbour, votes, inside;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(neighbour) : "r"(value));
  asm volatile("{ .reg .pred p, q; setp.gt.u32 p, %1, 15; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes)
               : "r"(value));
  asm volatile(
      "{ .reg .pred q; .reg .b32 t; shfl.sync.up.b32 t|q, %1, 4, 0, 0xffffffff; "
      "selp.u32 %0, 1, 0, q; }"
      : "=r"(inside)
      : "r"(value));
  out[threadIdx.x] = neighbour == (value ^ 1) && votes == 0xffff0000u && inside == (value >= 4);
}

TEST_F(Ptx, ExchangesInAWarp) {
  Managed<unsigned> out(32);
  warp_kernel<<<1, 32>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<unsigned>(32, 1));
}

__global__ void memory_kernel(const float4* in, float4* out, unsigned* count) {
  __shared__ float tile[32];
  float x, y, z, w, neighbour;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(in + threadIdx.x));
  const auto mine = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  const auto first = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("st.shared.f32 [%0], %1;" : : "r"(mine), "f"(x));
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("ld.shared.f32 %0, [%1+4];" : "=f"(neighbour) : "r"(first));
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x), "f"(neighbour),
               "f"(y), "f"(z), "f"(w)
               : "memory");
  asm volatile("red.global.add.u32 [%0], 2;" ::"l"(count) : "memory");
}

TEST_F(Ptx, ReadsAndWritesMemory) {
  Managed<float4> in(32), out(32);
  Managed<unsigned> count(1);
  for (int i = 0; i < 32; ++i) in[i] = make_float4(float(i), 2, 3, 4);
  memory_kernel<<<1, 32>>>(in.get(), out.get(), count.get());
  EXPECT_EQ(out[7].x, 1.0f);
  EXPECT_EQ(out[7].w, 4.0f);
  EXPECT_EQ(count[0], 64u);
}

__global__ void past_the_end_kernel(const int* in, int* out) {
  int x;
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(x) : "l"(in + threadIdx.x));
  out[threadIdx.x] = x;
}
constexpr int kLoadLine = __LINE__ - 3;

TEST_F(Ptx, ChecksAccesses) {
  Managed<int> in(31), out(32);
  past_the_end_kernel<<<1, 32>>>(in.get(), out.get());
  cudaDeviceSynchronize();
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kLoadLine);
}

__global__ void race_kernel(int* out) {
  __shared__ int tile[64];
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]))),
               "r"(static_cast<int>(threadIdx.x)));
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TEST_F(Ptx, FindsRaces) {
  Managed<int> out(64);
  race_kernel<<<1, 64>>>(out.get());
  cudaDeviceSynchronize();
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_FALSE(findings.empty());
  for (const simt::Finding& finding : findings) {
    EXPECT_TRUE(finding.kind == simt::FindingKind::kRace ||
                finding.kind == simt::FindingKind::kUninitializedRead);
  }
}

__global__ void copy_kernel(const int* in, int* out) {
  __shared__ int tile[32];
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(place), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  out[threadIdx.x] = tile[threadIdx.x];
}

TEST_F(Ptx, CopiesAsynchronously) {
  Managed<int> in(32, 5), out(32);
  copy_kernel<<<1, 32>>>(in.get(), out.get());
  EXPECT_EQ(out.values(), std::vector<int>(32, 5));
}

__global__ void publish_kernel(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen;
    do {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    *out = *data;
  }
}

TEST_F(Ptx, OrdersByReleaseAndAcquire) {
  Managed<int> data(1), flag(1), out(1);
  publish_kernel<<<2, 1>>>(data.get(), flag.get(), out.get());
  EXPECT_EQ(out[0], 42);
}

__global__ void unknown_kernel(unsigned* out) {
  unsigned x = 1;
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  *out = x;
}
constexpr int kUnknownLine = __LINE__ - 3;

TEST_F(Ptx, NamesAnInstructionThatItDoesNotKnow) {
  Managed<unsigned> out(1);
  unknown_kernel<<<1, 1>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalInstruction, simt::FindingKind::kLaunchError);
  EXPECT_EQ(finding.line, kUnknownLine);
  EXPECT_TRUE(contains(finding.message, "tcgen05.fence::before_thread_sync"));
}

}  // namespace
}  // namespace simt_test::ptx_test
