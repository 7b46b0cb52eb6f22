// SPDX-License-Identifier: MIT
#include <cstring>

#include "lockstep_runtime.h"
#include "runtime_test.h"

namespace runtime_test {
namespace {

using Allocation = Runtime;

TEST_F(Allocation, OfNoBytesIsNull) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(Allocation, FailsWhenTheDevicesMemoryIsUsedUp) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{5} << 30), cudaErrorMemoryAllocation);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Allocation, IsCountedAsUsed) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  void* pointer = nullptr;
  cudaMemGetInfo(&before, &total);
  cudaMalloc(&pointer, 1 << 20);
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(before - after, std::size_t{1} << 20);
  EXPECT_EQ(total, std::size_t{4} << 30);
  cudaFree(pointer);
}

TEST_F(Allocation, IsFreedOnce) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 100);
  EXPECT_EQ(cudaFree(static_cast<char*>(pointer) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  int local = 0;
  EXPECT_EQ(cudaFree(&local), cudaErrorInvalidValue);
}

TEST_F(Allocation, HasAttributesOfItsKind) {
  void* device = nullptr;
  void* managed = nullptr;
  void* pinned = nullptr;
  cudaMalloc(&device, 8);
  cudaMallocManaged(&managed, 8);
  cudaMallocHost(&pinned, 8);
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes;
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(device), cudaMemoryTypeDevice);
  EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(&device), cudaMemoryTypeUnregistered);
  cudaFree(device);
  cudaFree(managed);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Allocation, ThatIsNeverCheckedIsReportedWithItsLine) {
  void* pointer = nullptr;
  static_cast<void>(cudaMalloc(&pointer, std::size_t{5} << 30));
  static_cast<void>(cudaStreamDestroy(nullptr));
  runtime::report_unchecked_errors();
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_NE(findings[0].find("cudaMalloc of 5368709120 bytes failed with "
                             "cudaErrorMemoryAllocation"),
            std::string::npos)
      << findings[0];
  EXPECT_NE(findings[1].find("cudaErrorInvalidResourceHandle"), std::string::npos) << findings[1];
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  runtime::report_unchecked_errors();
  EXPECT_TRUE(take_findings().empty());
}

TEST_F(Allocation, FromAPoolCountsThere) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  void* pointer = nullptr;
  ASSERT_EQ(cudaMallocAsync(&pointer, 1000, nullptr), cudaSuccess);
  std::uint64_t used = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  EXPECT_EQ(used, 1000U);
  EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  EXPECT_EQ(used, 0U);
}

TEST_F(Allocation, EndsWithAReset) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 100);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace runtime_test
