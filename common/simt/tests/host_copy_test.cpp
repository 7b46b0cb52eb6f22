// SPDX-License-Identifier: MIT
// Copies, fills and symbols: contents, directions, ranges.
#include <algorithm>
#include <numeric>
#include <vector>

#include "host_test.h"

namespace {

__device__ int d_numbers[10];
__constant__ double d_factor;
__device__ volatile int d_flag;
static __device__ int d_hidden;

class HostCopy : public simt_test::HostTest {
 protected:
  void SetUp() override {
    HostTest::SetUp();
    ASSERT_EQ(cudaMalloc(&device_, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed_, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned_, kBytes), cudaSuccess);
    host_.resize(kBytes);
    std::iota(host_.begin(), host_.end(), static_cast<char>(1));
  }
  void TearDown() override {
    cudaFree(device_), cudaFree(managed_), cudaFreeHost(pinned_);
    HostTest::TearDown();
  }

  static constexpr std::size_t kBytes = 100;
  char *device_ = nullptr, *managed_ = nullptr, *pinned_ = nullptr;
  std::vector<char> host_;
};

TEST_F(HostCopy, WorksRoundTripWithEveryKindOfMemory) {
  std::vector<char> back(kBytes);
  ASSERT_EQ(cudaMemcpy(device_, host_.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(managed_, device_, kBytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(pinned_, managed_, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device_, pinned_, kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(back.data(), device_, kBytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, host_);
  EXPECT_TRUE(std::equal(host_.begin(), host_.end(), managed_));
  std::fill(back.begin(), back.end(), 0);
  ASSERT_EQ(cudaMemcpy(back.data(), host_.data(), kBytes, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(back, host_);
}

TEST_F(HostCopy, RefusesTheWrongDirection) {
  char* const h = host_.data();
  expect_error(cudaMemcpy(device_, h, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(h, device_, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h, device_, 8, cudaMemcpyHostToHost), cudaSuccess) << "as on a device";
  expect_error(cudaMemcpy(device_, h, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(device_, h, 8, static_cast<cudaMemcpyKind>(5)),
               cudaErrorInvalidMemcpyDirection);
}

TEST_F(HostCopy, RefusesWhatIsNotInOneAllocation) {
  char* const h = host_.data();
  expect_error(cudaMemcpy(device_, h, kBytes + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(device_ + 1, h, kBytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(h, device_ + kBytes, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(nullptr, h, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(h, nullptr, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  char* freed = nullptr;
  cudaMalloc(&freed, 8);
  cudaFree(freed);
  expect_error(cudaMemcpy(freed, h, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect_error(cudaMemcpy(freed, h, 8, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(HostCopy, FillsBytes) {
  ASSERT_EQ(cudaMemset(device_, 0, kBytes), cudaSuccess);
  ASSERT_EQ(cudaMemset(device_ + 10, 0x1ff, 5), cudaSuccess) << "the value is taken as a byte";
  ASSERT_EQ(cudaMemcpy(host_.data(), device_, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::count(host_.begin(), host_.end(), '\xff'), 5);
  EXPECT_EQ(host_[9], 0);
  expect_error(cudaMemset(host_.data(), 0, 1), cudaErrorInvalidValue);
  expect_error(cudaMemset(device_, 0, kBytes + 1), cudaErrorInvalidValue);
}

TEST_F(HostCopy, CopiesRowsOfAPitch) {
  // Columns 1 to 3 of a 10 x 10 matrix, rows 2 and 3.
  ASSERT_EQ(cudaMemset(device_, 0, kBytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(device_ + 21, 10, host_.data() + 21, 10, 3, 2, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<char> back(kBytes);
  ASSERT_EQ(cudaMemcpy(back.data(), device_, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  for (std::size_t i = 0; i < kBytes; ++i) {
    const bool copied = i / 10 >= 2 && i / 10 <= 3 && i % 10 >= 1 && i % 10 <= 3;
    EXPECT_EQ(back[i], copied ? host_[i] : 0) << i;
  }
  expect_error(cudaMemcpy2D(device_, 9, back.data(), 10, 10, 2, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  // The last row needs no padding, but must be there.
  EXPECT_EQ(cudaMemcpy2D(device_, 30, back.data(), 10, 10, 4, cudaMemcpyHostToDevice), cudaSuccess);
  expect_error(cudaMemcpy2D(device_, 30, back.data(), 10, 11, 4, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  expect_error(cudaMemcpy2D(device_, 31, back.data(), 10, 10, 4, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
}

TEST_F(HostCopy, RefusesUnknownStreams) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device_, 0, 1, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  expect_error(cudaMemsetAsync(device_, 0, 1, stream), cudaErrorInvalidResourceHandle);
  expect_error(cudaMemcpyAsync(device_, host_.data(), 1, cudaMemcpyHostToDevice, stream),
               cudaErrorInvalidResourceHandle);
}

TEST_F(HostCopy, WorksWithSymbols) {
  const int numbers[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const double factor = 2.5;
  int back[10] = {}, flag = 3;
  ASSERT_EQ(cudaMemcpyToSymbol(d_numbers, numbers, sizeof(numbers)), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(d_factor, &factor, sizeof(factor)), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(d_flag, &flag, sizeof(flag)), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(d_hidden, &flag, sizeof(flag)), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(back, d_numbers, 2 * sizeof(int), 3 * sizeof(int)), cudaSuccess);
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[1], 4);
  EXPECT_EQ(d_factor, 2.5);
  EXPECT_EQ(d_hidden, d_flag);
  std::size_t size_bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&size_bytes, d_numbers), cudaSuccess);
  EXPECT_EQ(size_bytes, sizeof(numbers));
}

TEST_F(HostCopy, TreatsAddressesOfSymbolsAsDeviceMemory) {
  int* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, d_numbers), cudaSuccess);
  EXPECT_EQ(address, d_numbers);
  EXPECT_EQ(cudaMemset(address, 0, sizeof(d_numbers)), cudaSuccess);
  expect_error(cudaMemset(address, 0, sizeof(d_numbers) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(address, host_.data(), 4, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(HostCopy, RefusesWhatIsNoSymbol) {
  const int numbers[11] = {};
  int local = 0;
  expect_error(cudaMemcpyToSymbol(local, numbers, sizeof(int)), cudaErrorInvalidSymbol);
  expect_error(cudaMemcpyToSymbol(&d_numbers, numbers, sizeof(int)), cudaErrorInvalidSymbol);
  expect_error(cudaMemcpyToSymbol(d_numbers, numbers, sizeof(numbers)), cudaErrorInvalidValue);
  expect_error(cudaMemcpyToSymbol(d_numbers, numbers, 40, 4), cudaErrorInvalidValue);
  expect_error(cudaMemcpyToSymbol(d_numbers, numbers, 4, 0, cudaMemcpyDeviceToHost),
               cudaErrorInvalidMemcpyDirection);
}

}  // namespace
