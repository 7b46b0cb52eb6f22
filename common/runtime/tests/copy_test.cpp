// SPDX-License-Identifier: MIT
#include <numeric>

#include "runtime_test.h"
#include "serve/ring.h"

namespace runtime_test {
namespace {

class Sizes : public Runtime, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(Sizes, ArriveAndComeBack) {
  std::vector<unsigned char> sent(GetParam());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = static_cast<unsigned char>(i * 31 >> 2);
  }
  std::vector<unsigned char> got(sent.size());
  void* device = nullptr;
  cudaMalloc(&device, sent.size() + 1);
  EXPECT_EQ(cudaMemcpy(device, sent.data(), sent.size(), cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(got.data(), device, got.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(sent == got);
  cudaFree(device);
}

INSTANTIATE_TEST_SUITE_P(OfCopies, Sizes,
                         ::testing::Values(0, 1, 4, 1000, serve::kDataBytes - 1, serve::kDataBytes,
                                           serve::kDataBytes + 1, 3 * serve::kDataBytes + 7));

class Copies : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    cudaMalloc(&d_, kBytes);
    cudaMemset(d_, 0, kBytes);
  }
  static constexpr std::size_t kBytes = 4096;
  int* d_ = nullptr;
};

TEST_F(Copies, HaveADirection) {
  int h[4] = {1, 2, 3, 4};
  EXPECT_EQ(cudaMemcpy(d_, h, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d_, h, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d_, h, 16, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(d_, h, 16, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d_, nullptr, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, h, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h, h + 2, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h, h + 2, 8, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(h[1], 4);
}

TEST_F(Copies, StayInTheirAllocation) {
  std::vector<char> h(kBytes + 1);
  EXPECT_EQ(cudaMemcpy(d_, h.data(), kBytes + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(d_, 0, kBytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d_ + 1, h.data(), kBytes - 4, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(Copies, TakeRows) {
  std::vector<int> h(12 * 7);
  std::iota(h.begin(), h.end(), 0);
  const std::size_t pitch = 64;
  EXPECT_EQ(cudaMemcpy2D(d_, pitch, h.data(), 48, 20, 7, cudaMemcpyHostToDevice), cudaSuccess);
  std::vector<int> rows(5 * 7);
  EXPECT_EQ(cudaMemcpy2D(rows.data(), 20, d_, pitch, 20, 7, cudaMemcpyDeviceToHost), cudaSuccess);
  for (std::size_t y = 0; y < 7; ++y) {
    for (std::size_t x = 0; x < 5; ++x) EXPECT_EQ(rows[y * 5 + x], h[y * 12 + x]);
  }
  EXPECT_EQ(cudaMemcpy2D(d_, 16, h.data(), 48, 20, 7, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
}

TEST_F(Copies, TakeBoxes) {
  cudaPitchedPtr pitched = {};
  ASSERT_EQ(cudaMalloc3D(&pitched, {40, 6, 3}), cudaSuccess);
  std::vector<unsigned char> h(40 * 6 * 3);
  std::iota(h.begin(), h.end(), 0);
  cudaMemcpy3DParms to = {};
  to.srcPtr = {h.data(), 40, 40, 6};
  to.dstPtr = pitched;
  to.extent = {40, 6, 3};
  to.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&to), cudaSuccess);
  std::vector<unsigned char> got(10 * 2 * 2);
  cudaMemcpy3DParms from = {};
  from.srcPtr = pitched;
  from.srcPos = {5, 3, 1};
  from.dstPtr = {got.data(), 10, 10, 2};
  from.extent = {10, 2, 2};
  from.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&from), cudaSuccess);
  EXPECT_EQ(got[0], h[(6 * 1 + 3) * 40 + 5]);
  EXPECT_EQ(got[39], h[(6 * 2 + 4) * 40 + 14]);
}

TEST_F(Copies, ReachArrays) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  ASSERT_EQ(cudaMallocArray(&array, &format, 8, 4), cudaSuccess);
  std::vector<int> h(32);
  std::iota(h.begin(), h.end(), 0);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, h.data(), 32, 32, 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  int got[2] = {};
  EXPECT_EQ(cudaMemcpy2DFromArray(got, 8, array, 12, 2, 8, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(got[0], 19);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidValue);
}

TEST_F(Copies, ReachVariables) {
  int value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, kCounter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 5);
  value = 6;
  EXPECT_EQ(cudaMemcpyToSymbol(kCounter, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, kCounter, 8, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &value, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidSymbol);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, kCounter), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 6);
  value = 5;
  cudaMemcpyToSymbol(kCounter, &value, 4, 0, cudaMemcpyHostToDevice);
}

TEST_F(Copies, FindVariablesAnewAfterAReset) {
  int value = 9;
  cudaMemcpyToSymbol(kCounter, &value, 4, 0, cudaMemcpyHostToDevice);
  cudaDeviceReset();
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, kCounter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 5);
}

TEST_F(Copies, OfBytesThatNothingWroteAreReported) {
  void* fresh = nullptr;
  cudaMalloc(&fresh, 256);
  char h[256];
  EXPECT_EQ(cudaMemcpy(h, fresh, 256, cudaMemcpyDeviceToHost), cudaSuccess);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("uninitialized_read"), std::string::npos) << findings[0];
  EXPECT_NE(findings[0].find("copy_test.cpp"), std::string::npos) << findings[0];
}

}  // namespace
}  // namespace runtime_test
