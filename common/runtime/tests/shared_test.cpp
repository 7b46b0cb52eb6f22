// SPDX-License-Identifier: MIT
// Managed and pinned memory, and pointers to the device that the host uses.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include "runtime_test.h"

namespace runtime_test {
namespace {

class Shared : public Runtime {
 protected:
  static constexpr int kNumItems = 5000;

  void SetUp() override {
    Runtime::SetUp();
    cudaMallocManaged(reinterpret_cast<void**>(&m_), kNumItems * sizeof(int));
    std::memset(m_, 0, kNumItems * sizeof(int));
  }
  void TearDown() override { cudaFree(m_); }
  int* m_ = nullptr;
};

TEST_F(Shared, IsTheSameForBothSides) {
  m_[1] = 5;
  launch(kAdd, 1, 1, m_ + 1, 2);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(m_[1], 7);
  EXPECT_TRUE(take_findings().empty());
}

TEST_F(Shared, AManagedVariableIsTheSameForBothSides) {
  share_managed();
  EXPECT_EQ(managed, 6);
  managed = 1;
  launch(kAdd, 1, 1, &managed, 2);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(managed, 3);
  EXPECT_EQ(cudaMemset(&managed, 0, sizeof managed), cudaSuccess);
  EXPECT_EQ(managed, 0);
  cudaPointerAttributes about;
  EXPECT_EQ(cudaPointerGetAttributes(&about, &managed), cudaSuccess);
  EXPECT_EQ(about.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaFree(&managed), cudaErrorInvalidValue);
  cudaGetLastError();
  take_findings();
  launch(kFill, 1, 2, &managed, 4);
  cudaDeviceSynchronize();
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("past the end of managed (4 bytes)"), std::string::npos);
}

// Small pieces of one page each, and pages full of them.
TEST_F(Shared, RegisteredMemoryIsTheSameForBothSides) {
  for (const std::size_t num_items : {8, 20'000}) {
    std::vector<int> whole(4 * num_items, 1);
    int* const first = whole.data() + 1;
    int* const second = first + num_items + 1;
    for (int* const piece : {first, second}) {
      EXPECT_EQ(cudaHostRegister(piece, num_items * sizeof(int), 0), cudaSuccess);
    }
    EXPECT_EQ(cudaHostRegister(first + 2, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
    int* device = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), second, 0), cudaSuccess);
    launch(kFill, 1, 8, device, 3);
    launch(kAdd, 1, 1, first + num_items - 1, 5);  // by unified addressing
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(second[7], 3);
    EXPECT_EQ(first[num_items - 1], 6);
    first[0] = 9;
    EXPECT_EQ(cudaMemcpy(second, first, 4, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(first), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(first), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    take_findings();
    launch(kAdd, 1, 1, second + 1, 5);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(second), cudaSuccess);
    EXPECT_TRUE(take_findings().empty());
    const std::vector<int> all = {1, 9, 1};  // and what lies next to the pieces is as it was
    EXPECT_TRUE(std::equal(all.begin(), all.end(), whole.begin()));
    EXPECT_EQ(first[num_items], 1);
    EXPECT_EQ(second[0], 9);
    EXPECT_EQ(second[1], 8);
    EXPECT_EQ(second[num_items], 1);
  }
}

TEST_F(Shared, RegisteredMemoryHasBounds) {
  std::vector<int> items(6, 1);
  cudaHostRegister(items.data() + 1, 2 * sizeof(int), 0);
  cudaPointerAttributes about;
  EXPECT_EQ(cudaPointerGetAttributes(&about, items.data() + 2), cudaSuccess);
  EXPECT_EQ(about.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(items.data() + 1), cudaErrorInvalidValue);
  cudaGetLastError();
  take_findings();
  launch(kFill, 1, 3, items.data() + 1, 4);
  cudaDeviceSynchronize();
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("right past the end of allocation"), std::string::npos) << findings[0];
  EXPECT_EQ(items[3], 1);
  cudaDeviceReset();
  EXPECT_EQ(cudaHostUnregister(items.data() + 1), cudaSuccess);
  EXPECT_EQ(items[2], 4);
}

TEST_F(Shared, RacesWithAKernelThatTheHostDidNotWaitFor) {
  launch(kFill, 1, 32, m_, 3);
  EXPECT_EQ(static_cast<volatile int*>(m_)[5], 3);
  auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("the host reads memory that fill"), std::string::npos) << findings[0];
  EXPECT_NE(findings[0].find("shared_test.cpp"), std::string::npos) << findings[0];
  cudaDeviceSynchronize();
  launch(kFill, 1, 32, m_, 4);
  m_[7] = 1;
  findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("the host writes memory"), std::string::npos) << findings[0];
  cudaDeviceSynchronize();
}

TEST_F(Shared, DoesNotRaceInPlacesThatTheKernelDidNotTouch) {
  launch(kFill, 1, 32, m_, 3);
  m_[4000] = 2;
  EXPECT_EQ(m_[4000], 2);
  EXPECT_TRUE(take_findings().empty());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(m_[4000], 2);
  EXPECT_EQ(m_[31], 3);
}

TEST_F(Shared, CanBeCopied) {
  std::vector<int> h(kNumItems, 6);
  EXPECT_EQ(cudaMemcpy(m_, h.data(), kNumItems * 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(m_[kNumItems - 1], 6);
  int* pinned = nullptr;
  cudaMallocHost(reinterpret_cast<void**>(&pinned), 64);
  EXPECT_EQ(cudaMemcpy(pinned, m_, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(pinned[15], 6);
  cudaFreeHost(pinned);
}

TEST_F(Shared, IsGoneAfterItIsFreed) {
  int* other = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&other), 1 << 16);
  other[0] = 1;
  cudaFree(other);
  EXPECT_DEATH(
      {
        int* freed = nullptr;
        cudaMallocManaged(reinterpret_cast<void**>(&freed), 1 << 16);
        cudaFree(freed);
        *static_cast<volatile int*>(freed) = 1;
      },
      "");
}

TEST_F(Shared, DoesNotIncludeTheDevicesOwnMemory) {
  EXPECT_EXIT(
      {
        int* d = nullptr;
        cudaMalloc(reinterpret_cast<void**>(&d), 64);
        std::printf("%d\n", *static_cast<volatile int*>(d));
      },
      ::testing::KilledBySignal(SIGSEGV), "");
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings[0].find("host_pointer"), std::string::npos) << findings[0];
  EXPECT_NE(findings[0].find("shared_test.cpp"), std::string::npos) << findings[0];
}

}  // namespace
}  // namespace runtime_test
