// SPDX-License-Identifier: MIT
#include <cuda_fp16.h>

#include <cstring>

#include "device_test.h"

namespace simt_test::atomic_test {
namespace {

class Atomic : public DeviceTest {};

// Each thread's operand is its index + 1; `old` collects what the atomics returned.
#define DEFINE_ATOMIC_KERNEL(function)                         \
  template <class T>                                           \
  __global__ void function##_kernel(T* value, T* old) {        \
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;  \
    old[thread] = function(value, static_cast<T>(thread + 1)); \
  }
DEFINE_ATOMIC_KERNEL(atomicAdd)
DEFINE_ATOMIC_KERNEL(atomicSub)
DEFINE_ATOMIC_KERNEL(atomicExch)
DEFINE_ATOMIC_KERNEL(atomicMin)
DEFINE_ATOMIC_KERNEL(atomicMax)
DEFINE_ATOMIC_KERNEL(atomicAnd)
DEFINE_ATOMIC_KERNEL(atomicOr)
DEFINE_ATOMIC_KERNEL(atomicXor)

constexpr int kNumThreads = 128;  // in two blocks, one after the other in natural order

// Runs `kernel` from `start` and expects what the operation gives when threads run in order.
template <class T, class Operation>
void expect_sequence(void (*kernel)(T*, T*), T start, Operation operation) {
  Managed<T> value(1, start), old(kNumThreads);
  kernel<<<2, kNumThreads / 2>>>(value.get(), old.get());
  T expected = start;
  for (int thread = 0; thread < kNumThreads; ++thread) {
    ASSERT_EQ(old[thread], expected) << "thread " << thread;
    expected = operation(expected, static_cast<T>(thread + 1));
  }
  EXPECT_EQ(value[0], expected);
}

using Ull = unsigned long long;

template <class T>
T plus(T a, T b) {
  return a + b;
}
template <class T>
T minus(T a, T b) {
  return a - b;
}
template <class T>
T second(T, T b) {
  return b;
}
template <class T>
T least(T a, T b) {
  return std::min(a, b);
}
template <class T>
T greatest(T a, T b) {
  return std::max(a, b);
}
template <class T>
T bit_and(T a, T b) {
  return a & b;
}
template <class T>
T bit_or(T a, T b) {
  return a | b;
}
template <class T>
T bit_xor(T a, T b) {
  return a ^ b;
}

TEST_F(Atomic, AddsEveryType) {
  expect_sequence<int>(atomicAdd_kernel, -100, plus<int>);
  expect_sequence<unsigned>(atomicAdd_kernel, 4294967290u, plus<unsigned>);
  expect_sequence<Ull>(atomicAdd_kernel, 1ull << 40, plus<Ull>);
  expect_sequence<float>(atomicAdd_kernel, 0.1f, plus<float>);
  expect_sequence<double>(atomicAdd_kernel, 1e-3, plus<double>);
}

TEST_F(Atomic, SubtractsAndExchangesEveryType) {
  expect_sequence<int>(atomicSub_kernel, 50, minus<int>);
  expect_sequence<unsigned>(atomicSub_kernel, 5u, minus<unsigned>);
  expect_sequence<int>(atomicExch_kernel, 50, second<int>);
  expect_sequence<unsigned>(atomicExch_kernel, 50, second<unsigned>);
  expect_sequence<Ull>(atomicExch_kernel, 50, second<Ull>);
  expect_sequence<float>(atomicExch_kernel, 0.5f, second<float>);
}

TEST_F(Atomic, FindsExtremesOfEveryType) {
  expect_sequence<int>(atomicMin_kernel, -3, least<int>);
  expect_sequence<unsigned>(atomicMin_kernel, 4294967295u, least<unsigned>);
  expect_sequence<long long>(atomicMin_kernel, -(1ll << 40), least<long long>);
  expect_sequence<Ull>(atomicMin_kernel, 1ull << 63, least<Ull>);
  expect_sequence<int>(atomicMax_kernel, -3, greatest<int>);
  expect_sequence<unsigned>(atomicMax_kernel, 60u, greatest<unsigned>);
  expect_sequence<long long>(atomicMax_kernel, -(1ll << 40), greatest<long long>);
  expect_sequence<Ull>(atomicMax_kernel, 70, greatest<Ull>);
}

TEST_F(Atomic, CombinesBitsOfEveryType) {
  expect_sequence<int>(atomicAnd_kernel, -1, bit_and<int>);
  expect_sequence<unsigned>(atomicAnd_kernel, 0xffu, bit_and<unsigned>);
  expect_sequence<Ull>(atomicAnd_kernel, ~0ull, bit_and<Ull>);
  expect_sequence<int>(atomicOr_kernel, 1 << 20, bit_or<int>);
  expect_sequence<unsigned>(atomicOr_kernel, 0u, bit_or<unsigned>);
  expect_sequence<Ull>(atomicOr_kernel, 1ull << 50, bit_or<Ull>);
  expect_sequence<int>(atomicXor_kernel, 77, bit_xor<int>);
  expect_sequence<unsigned>(atomicXor_kernel, 77, bit_xor<unsigned>);
  expect_sequence<Ull>(atomicXor_kernel, 1ull << 50, bit_xor<Ull>);
}

__global__ void wrap(unsigned* counters, unsigned* old) {
  old[threadIdx.x] = atomicInc(&counters[0], 9);
  atomicDec(&counters[1], 9);
}

TEST_F(Atomic, WrapsIncrementsAndDecrements) {
  Managed<unsigned> counters(2), old(25);
  wrap<<<1, 25>>>(counters.get(), old.get());
  EXPECT_EQ(old[24], 4u);
  EXPECT_EQ(counters[0], 5u);
  EXPECT_EQ(counters[1], 5u);  // 0, 9, 8, ..., 0, 9, ...
}

__global__ void scoped(int* values) {
  atomicAdd_block(&values[0], 1);
  atomicAdd_system(&values[0], 1);
  atomicMax_block(&values[1], threadIdx.x);
  atomicCAS_system(&values[2], 0, 8);
}

TEST_F(Atomic, ComesInThreeScopes) {
  Managed<int> values(3);
  scoped<<<2, 32>>>(values.get());
  EXPECT_EQ(values.values(), (std::vector{128, 31, 8}));
}

// Adds by compare-and-swap, as textbooks add doubles.
template <class T>
__global__ void add_by_swap(T* value) {
  T seen = *value;
  T assumed;
  do {
    assumed = seen;
    seen = atomicCAS(value, assumed, static_cast<T>(assumed + 3));
  } while (seen != assumed);
}

template <class T>
void expect_swaps() {
  Managed<T> value(1, 1);
  add_by_swap<T><<<2, 64>>>(value.get());
  EXPECT_EQ(value[0], static_cast<T>(1 + 3 * 128));
}

TEST_F(Atomic, SwapsEveryType) {
  expect_swaps<int>();
  expect_swaps<unsigned>();
  expect_swaps<Ull>();
  expect_swaps<unsigned short>();
}

__global__ void add_halves(__half* sum, __half2* sums) {
  atomicAdd(sum, __float2half(0.5f));
  atomicAdd(sums, __floats2half2_rn(1.0f, 2.0f));
}

TEST_F(Atomic, AddsHalfPrecision) {
  Managed<__half> sum(1, __float2half(0.0f));
  Managed<__half2> sums(1, __floats2half2_rn(0.0f, 0.0f));
  add_halves<<<2, 50>>>(sum.get(), sums.get());
  EXPECT_EQ(__half2float(sum[0]), 50.0f);
  EXPECT_EQ(__low2float(sums[0]), 100.0f);
  EXPECT_EQ(__high2float(sums[0]), 200.0f);
}

__global__ void add_vectors(float2* pair, float4* four) {
  atomicAdd(pair, make_float2(1, 2));
  const float4 old = atomicAdd_block(four, make_float4(1, 2, 3, 4));
  if (old.x == 49) atomicAdd(&four[1], old);
}

TEST_F(Atomic, AddsVectorsByComponent) {
  Managed<float2> pair(1, make_float2(0, 0));
  Managed<float4> four(2, make_float4(0, 0, 0, 0));
  add_vectors<<<1, 50>>>(pair.get(), four.get());
  EXPECT_EQ(pair[0].x, 50);
  EXPECT_EQ(pair[0].y, 100);
  EXPECT_EQ(four[0].w, 200);
  EXPECT_EQ(four[1].x, 49);
  EXPECT_EQ(four[1].w, 196);
}

__global__ void sum_unevenly(const float* in, float* sum) {
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

TEST_F(Atomic, AddsFloatsInTheSameOrderEachTime) {
  constexpr int kNumItems = 1 << 12;
  Managed<float> in(kNumItems), sums(2);
  for (int i = 0; i < kNumItems; ++i) in[i] = 1.0f / static_cast<float>(1 + (i * 37) % 1013);
  sum_unevenly<<<kNumItems / 256, 256>>>(in.get(), &sums[0]);
  sum_unevenly<<<kNumItems / 256, 256>>>(in.get(), &sums[1]);
  EXPECT_EQ(std::memcmp(&sums[0], &sums[1], sizeof(float)), 0);
}

}  // namespace
}  // namespace simt_test::atomic_test
