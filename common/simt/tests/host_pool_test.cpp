// SPDX-License-Identifier: MIT
// Memory pools, and the functions for pairs of devices, of which there are none.
#include <cstdint>

#include "host_test.h"

namespace {

class HostPool : public simt_test::HostTest {
 protected:
  static std::uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  static cudaMemPool_t make_pool(std::size_t max_bytes = 0) {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    properties.maxSize = max_bytes;
    cudaMemPool_t pool = nullptr;
    EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
    return pool;
  }
};

TEST_F(HostPool, CountsWhatIsInUse) {
  const cudaMemPool_t pool = make_pool();
  void *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&a, 1000, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&b, 500, pool, nullptr), cudaSuccess);
  EXPECT_EQ(get(pool, cudaMemPoolAttrUsedMemCurrent), 1500u);
  EXPECT_GE(get(pool, cudaMemPoolAttrReservedMemCurrent), 1500u);
  EXPECT_EQ(cudaFreeAsync(a, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess) << "any function frees it";
  EXPECT_EQ(get(pool, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(get(pool, cudaMemPoolAttrUsedMemHigh), 1500u);
  EXPECT_EQ(get(pool, cudaMemPoolAttrReservedMemCurrent), 0u) << "the threshold is 0";
  std::uint64_t zero = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero), cudaSuccess);
  EXPECT_EQ(get(pool, cudaMemPoolAttrUsedMemHigh), 0u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
}

TEST_F(HostPool, KeepsMemoryUpToItsThreshold) {
  const cudaMemPool_t pool = make_pool();
  std::uint64_t all = UINT64_MAX;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), cudaSuccess);
  EXPECT_EQ(get(pool, cudaMemPoolAttrReleaseThreshold), all);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 4096, pool, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_GE(get(pool, cudaMemPoolAttrReservedMemCurrent), 4096u);
  EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(get(pool, cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
}

TEST_F(HostPool, LimitsAPoolThatHasALargestSize) {
  const cudaMemPool_t pool = make_pool(4096);
  void* memory = nullptr;
  expect_error(cudaMallocFromPoolAsync(&memory, 4097, pool, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 4096, pool, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess) << "it outlives its pool";
  expect_error(cudaMallocFromPoolAsync(&memory, 4, pool, nullptr), cudaErrorInvalidValue);
}

TEST_F(HostPool, HasOnePoolOfTheDeviceAndAnotherInItsPlace) {
  cudaMemPool_t standard = nullptr, current = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&standard, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, standard);
  const cudaMemPool_t other = make_pool();
  EXPECT_EQ(cudaDeviceSetMemPool(0, other), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, 256, nullptr), cudaSuccess);
  EXPECT_EQ(get(other, cudaMemPoolAttrUsedMemCurrent), 256u);
  EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(other), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, standard);
  expect_error(cudaMemPoolDestroy(standard), cudaErrorInvalidValue);
  expect_error(cudaDeviceGetDefaultMemPool(&standard, 1), cudaErrorInvalidDevice);
}

TEST_F(HostPool, RefusesOtherKindsOfMemory) {
  cudaMemPoolProps properties = {};
  cudaMemPool_t pool = nullptr;
  expect_error(cudaMemPoolCreate(&pool, &properties), cudaErrorInvalidValue);
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 3};
  expect_error(cudaMemPoolCreate(&pool, &properties), cudaErrorInvalidDevice);
  const cudaMemAccessDesc none = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtNone};
  cudaDeviceGetDefaultMemPool(&pool, 0);
  expect_error(cudaMemPoolSetAccess(pool, &none, 1), cudaErrorInvalidDevice);
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  cudaMemLocation own = {cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemPoolGetAccess(&flags, pool, &own), cudaSuccess);
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
}

TEST_F(HostPool, KnowsNoSecondDevice) {
  int can_access = 1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can_access, 0, 0), cudaSuccess);
  EXPECT_EQ(can_access, 0) << "a device is not its own peer";
  expect_error(cudaDeviceCanAccessPeer(&can_access, 0, 1), cudaErrorInvalidDevice);
  expect_error(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
  expect_error(cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
  expect_error(cudaDeviceGetP2PAttribute(&can_access, cudaDevP2PAttrAccessSupported, 0, 1),
               cudaErrorInvalidDevice);
  int *from = nullptr, *to = nullptr, value = 7;
  cudaMalloc(&from, sizeof(int));
  cudaMalloc(&to, sizeof(int));
  cudaMemcpy(from, &value, sizeof value, cudaMemcpyHostToDevice);
  EXPECT_EQ(cudaMemcpyPeerAsync(to, 0, from, 0, sizeof(int), nullptr), cudaSuccess);
  value = 0;
  cudaMemcpy(&value, to, sizeof value, cudaMemcpyDeviceToHost);
  EXPECT_EQ(value, 7);
  expect_error(cudaMemcpyPeer(to, 0, from, 1, sizeof(int)), cudaErrorInvalidDevice);
  cudaFree(from);
  cudaFree(to);
}

TEST_F(HostPool, HasOlderNamesToo) {
  EXPECT_EQ(cudaThreadSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaThreadSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
}

}  // namespace
