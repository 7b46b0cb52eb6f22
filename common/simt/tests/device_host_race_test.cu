// SPDX-License-Identifier: MIT
// What the host may do with managed and pinned memory while kernels and copies may still run.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "device_test.h"

namespace simt_test::host_race_test {
namespace {

constexpr int kItems = 64;
constexpr std::size_t kBytes = kItems * sizeof(int);

__global__ void fill(int* out) { out[threadIdx.x] = 1; }
constexpr int kFillLine = __LINE__ - 1;

__global__ void look(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
constexpr int kLookLine = __LINE__ - 1;

class HostRace : public DeviceTest {
 protected:
  HostRace() {
    cudaMallocManaged(&managed_, kBytes);
    cudaMallocHost(&pinned_, kBytes);
    cudaMalloc(&device_, kBytes);
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    std::fill_n(managed_, kItems, 0);
    std::fill_n(pinned_, kItems, 0);
    cudaMemset(device_, 0, kBytes);
    cudaDeviceSynchronize();
  }
  ~HostRace() override {
    cudaStreamDestroy(stream_);
    cudaFree(managed_);
    cudaFreeHost(pinned_);
    cudaFree(device_);
  }

  void expect_race(int line, const std::string& words) {
    const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
    EXPECT_EQ(finding.line, line) << finding.message;
    EXPECT_TRUE(contains(finding.message, words));
  }

  int* managed_ = nullptr;
  int* pinned_ = nullptr;
  int* device_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(HostRace, FindsAReadOfWhatAKernelMayStillWrite) {
  fill<<<1, kItems>>>(managed_);
  EXPECT_EQ(managed_[5], 1);
  expect_race(__LINE__ - 1,
              "that fill, which may still run, writes in line " + std::to_string(kFillLine));
}

TEST_F(HostRace, FindsAWriteOfWhatAKernelMayStillRead) {
  look<<<1, kItems>>>(pinned_, device_);
  pinned_[5] = 2;
  expect_race(__LINE__ - 1,
              "that look, which may still run, reads in line " + std::to_string(kLookLine));
}

TEST_F(HostRace, FindsACallOfTheLibrary) {
  fill<<<1, kItems>>>(managed_);
  std::vector<int> copy(kItems);
  std::memcpy(copy.data(), managed_, kBytes);
  expect_race(__LINE__ - 1, "the host reads memory");
}

TEST_F(HostRace, FindsAWaitForAnotherStream) {
  fill<<<1, kItems, 0, stream_>>>(managed_);
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(managed_[0], 1);
  expect_race(__LINE__ - 1, "fill, which may still run");
}

TEST_F(HostRace, FindsAReadOfWhatACopyMayStillWrite) {
  cudaMemcpyAsync(pinned_, device_, kBytes, cudaMemcpyDeviceToHost, stream_);
  const int copy_line = __LINE__ - 1;
  EXPECT_EQ(pinned_[0], 0);
  expect_race(__LINE__ - 1, "that the copy or fill in line " + std::to_string(copy_line) +
                                " of device_host_race_test.cu may still write; an asynchronous "
                                "copy returns at once");
}

TEST_F(HostRace, FindsAWriteOfWhatACopyMayStillRead) {
  cudaMemcpyAsync(device_, pinned_, kBytes, cudaMemcpyHostToDevice, stream_);
  pinned_[kItems - 1] = 3;
  expect_race(__LINE__ - 1, "may still read");
}

TEST_F(HostRace, ReportsALoopOnce) {
  fill<<<1, kItems>>>(managed_);
  int sum = 0;
  for (int i = 0; i < kItems; ++i) sum += managed_[i];
  EXPECT_EQ(sum, kItems);
  expect_race(__LINE__ - 2, "the host reads memory");
}

TEST_F(HostRace, AllowsWhatTheHostHasWaitedFor) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  fill<<<1, kItems, 0, stream_>>>(managed_);
  cudaEventRecord(event, stream_);
  cudaEventSynchronize(event);
  EXPECT_EQ(managed_[0], 1);
  fill<<<1, kItems, 0, stream_>>>(managed_);
  while (cudaStreamQuery(stream_) != cudaSuccess) {
  }
  managed_[0] = 2;
  cudaMemcpyAsync(device_, managed_, kBytes, cudaMemcpyDefault, stream_);
  cudaStreamSynchronize(stream_);
  managed_[0] = 3;
  cudaMemcpy(device_, managed_, kBytes, cudaMemcpyDefault);
  managed_[0] = 4;
  cudaEventDestroy(event);
}

TEST_F(HostRace, AllowsReadingWhatAKernelReadsAndUsingTheRest) {
  look<<<1, kItems / 2>>>(managed_, device_);
  EXPECT_EQ(managed_[0], 0);
  managed_[kItems / 2] = 1;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(device_, pinned_, kBytes / 2, cudaMemcpyHostToDevice, stream_);
  EXPECT_EQ(pinned_[0], 0);
  pinned_[kItems / 2] = 1;
}

TEST_F(HostRace, KnowsWhichFillsWait) {
  cudaMemset(managed_, 1, kBytes);
  EXPECT_EQ(managed_[0], 0x01010101);
  cudaMemset2D(pinned_, kBytes, 2, kBytes, 1);
  EXPECT_EQ(pinned_[0], 0x02020202);
  cudaMemsetAsync(managed_, 0, kBytes);
  EXPECT_EQ(managed_[0], 0);
  expect_race(__LINE__ - 1, "the copy or fill");
}

TEST_F(HostRace, AllowsAFunctionOfTheHostInTheStream) {
  fill<<<1, kItems, 0, stream_>>>(managed_);
  cudaLaunchHostFunc(
      stream_, [](void* items) { ++*static_cast<int*>(items); }, managed_);
  cudaStreamSynchronize(stream_);
  EXPECT_EQ(managed_[0], 2);
}

__global__ void tell(int* message, volatile int* flag) {
  *message = 42;
  __threadfence_system();
  *flag = 1;
}

TEST_F(HostRace, AllowsWhatAVolatileFlagTells) {
  tell<<<1, 1>>>(&managed_[0], &managed_[32]);
  while (*static_cast<volatile int*>(&managed_[32]) == 0) {
  }
  EXPECT_EQ(managed_[0], 42);
}

TEST_F(HostRace, AllowsWhatAnAtomicFlagTells) {
  tell<<<1, 1>>>(&managed_[0], &managed_[32]);
  while (__atomic_load_n(&managed_[32], __ATOMIC_ACQUIRE) == 0) {
  }
  EXPECT_EQ(managed_[0], 42);
}

__global__ void poll(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = 1;
}

TEST_F(HostRace, AllowsAFlagForAKernel) {
  poll<<<1, 1>>>(&managed_[0], &managed_[1]);
  managed_[0] = 1;
  cudaDeviceSynchronize();
  EXPECT_EQ(managed_[1], 1);
}

}  // namespace
}  // namespace simt_test::host_race_test
