// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <cuda/atomic>

#include "device_test.h"

namespace simt_test::cuda_atomic_test {
namespace {

class CudaAtomic : public DeviceTest {};

template <class T>
__global__ void use_references(T* value, T* maximum, unsigned* num_swaps) {
  cuda::atomic_ref<T, cuda::thread_scope_device> sum(*value);
  sum.fetch_add(2, cuda::memory_order_relaxed);
  sum += 3;
  sum -= 1;
  ++sum;
  cuda::atomic_ref<T>(*maximum).fetch_max(static_cast<T>(threadIdx.x), cuda::memory_order_acq_rel);
  T expected = static_cast<T>(63);
  if (cuda::atomic_ref<T>(*maximum).compare_exchange_strong(expected, static_cast<T>(100))) {
    atomicAdd(num_swaps, 1);
  }
}

template <class T>
void expect_references_work() {
  Managed<T> value(1), maximum(1);
  Managed<unsigned> num_swaps(1);
  use_references<T><<<1, 64>>>(value.get(), maximum.get(), num_swaps.get());
  EXPECT_EQ(value[0], static_cast<T>(5 * 64));
  EXPECT_EQ(maximum[0], static_cast<T>(100));
  EXPECT_EQ(num_swaps[0], 1u);
}

TEST_F(CudaAtomic, ReferencesObjectsOfEveryType) {
  expect_references_work<signed char>();
  expect_references_work<std::uint16_t>();
  expect_references_work<int>();
  expect_references_work<unsigned>();
  expect_references_work<long>();
  expect_references_work<unsigned long long>();
  expect_references_work<float>();
  expect_references_work<double>();
}

using DeviceAtomic = cuda::atomic<int, cuda::thread_scope_device>;
__device__ DeviceAtomic d_total{5};

__global__ void use_objects(int* out) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> bits;
  if (threadIdx.x == 0) bits.store(0u, cuda::memory_order_relaxed);
  __syncthreads();
  bits |= 1u << (threadIdx.x % 32);
  d_total++;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = __popc(bits.load(cuda::memory_order_acquire));
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

TEST_F(CudaAtomic, LivesInDeviceAndSharedMemory) {
  Managed<int> out(1);
  d_total = 5;
  use_objects<<<1, 48>>>(out.get());
  EXPECT_EQ(out[0], 32);
  EXPECT_EQ(d_total.load(), 53);
}

__global__ void advance_pointer(int** cursor, int* base) {
  int* const mine = cuda::atomic_ref<int*>(*cursor).fetch_add(2);
  mine[0] = static_cast<int>(mine - base);
}

TEST_F(CudaAtomic, CountsPointersInElements) {
  Managed<int> items(64);
  Managed<int*> cursor(1, items.get());
  advance_pointer<<<1, 32>>>(cursor.get(), items.get());
  EXPECT_EQ(cursor[0], items.get() + 64);
  EXPECT_EQ(items[62], 62);
}

__global__ void hand_over(cuda::std::atomic<int>* flag, int* data) {
  if (blockIdx.x == 0) {  // runs first, and waits for the block that runs second
    flag->wait(0, cuda::memory_order_acquire);
    data[1] = data[0] + 1;
  } else {
    data[0] = 41;
    flag->store(1, cuda::std::memory_order_release);
    flag->notify_all();
  }
}

TEST_F(CudaAtomic, WaitsForAnotherBlock) {
  Managed<int> flag(1), data(2);
  hand_over<<<2, 1>>>(reinterpret_cast<cuda::std::atomic<int>*>(flag.get()), data.get());
  EXPECT_EQ(data[1], 42);
}

// What the compiler's own atomics become.
__global__ void use_standard_atomics(std::atomic<int>* count, std::atomic<std::uint64_t>* bits) {
  count->fetch_add(2);
  count->fetch_sub(1, std::memory_order_relaxed);
  bits->fetch_or(std::uint64_t{1} << threadIdx.x);
  int expected = 64;
  count->compare_exchange_strong(expected, 1000);
}

TEST_F(CudaAtomic, CountsStandardAtomicsToo) {
  Managed<int> count(1);
  Managed<std::uint64_t> bits(1);
  use_standard_atomics<<<1, 64>>>(reinterpret_cast<std::atomic<int>*>(count.get()),
                                  reinterpret_cast<std::atomic<std::uint64_t>*>(bits.get()));
  EXPECT_EQ(count[0], 1000);
  EXPECT_EQ(bits[0], ~std::uint64_t{0});
}

__global__ void use_compilers_atomics(unsigned* sum, float* total, unsigned long long* flags,
                                      int* highest, unsigned* num_swaps) {
  __nv_atomic_fetch_add(sum, 2u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(total, 0.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(flags, 1ull << threadIdx.x, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_max(highest, static_cast<int>(threadIdx.x), __NV_ATOMIC_RELAXED);
  unsigned expected = 0;
  if (__nv_atomic_compare_exchange_n(&num_swaps[1], &expected, threadIdx.x + 1, false,
                                     __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE)) {
    __nv_atomic_store_n(&num_swaps[0], 1u, __NV_ATOMIC_RELEASE);
  }
}

TEST_F(CudaAtomic, HasTheCompilersFunctions) {
  Managed<unsigned> sum(1), num_swaps(2);
  Managed<float> total(1);
  Managed<unsigned long long> flags(1);
  Managed<int> highest(1, -5);
  use_compilers_atomics<<<1, 64>>>(sum.get(), total.get(), flags.get(), highest.get(),
                                   num_swaps.get());
  EXPECT_EQ(sum[0], 128u);
  EXPECT_EQ(total[0], 32.0f);
  EXPECT_EQ(flags[0], ~0ull);
  EXPECT_EQ(highest[0], 63);
  EXPECT_EQ(num_swaps[0], 1u);
  float value = 2;
  EXPECT_EQ(__nv_atomic_exchange_n(&value, 3.0f, __NV_ATOMIC_RELAXED), 2.0f);
  EXPECT_EQ(__nv_atomic_load_n(&value, __NV_ATOMIC_ACQUIRE), 3.0f);
}

TEST_F(CudaAtomic, WorksOnTheHost) {
  cuda::atomic<int> value(1);
  EXPECT_EQ(value.fetch_add(4), 1);
  EXPECT_EQ(value.exchange(9), 5);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(--value, 8);
}

}  // namespace
}  // namespace simt_test::cuda_atomic_test
