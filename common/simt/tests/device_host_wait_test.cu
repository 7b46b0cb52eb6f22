// SPDX-License-Identifier: MIT
// Kernels that wait for the host, and several threads of the host.
#include <atomic>
#include <thread>

#include "device_test.h"

namespace simt_test::host_wait_test {
namespace {

class HostWait : public DeviceTest {};

__global__ void wait_for_flag(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = *flag + static_cast<int>(threadIdx.x);
}

TEST_F(HostWait, TheLaunchReturnsAndTheHostSetsManagedMemory) {
  Managed<int> flag(1), out(128);
  wait_for_flag<<<1, 128>>>(flag.get(), out.get());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  *flag.get() = 7;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[127], 134);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

TEST_F(HostWait, TheHostSetsMappedMemory) {
  int* h_flag = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&h_flag), sizeof(int), cudaHostAllocMapped),
            cudaSuccess);
  *h_flag = 0;
  void* d_flag = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&d_flag, h_flag, 0), cudaSuccess);
  Managed<int> out(32);
  wait_for_flag<<<1, 32>>>(static_cast<int*>(d_flag), out.get());
  *static_cast<volatile int*>(h_flag) = 1;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[31], 32);
  EXPECT_EQ(cudaFreeHost(h_flag), cudaSuccess);
}

__global__ void wait_atomically(int* flag, int* out) {
  while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  out[threadIdx.x] = 1;
}

// By a copy in a stream that does not wait for the kernel's.
TEST_F(HostWait, TheHostCopiesToDeviceMemory) {
  cudaStream_t works = nullptr, copies = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), cudaSuccess);
  int* d_flag = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d_flag), sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemset(d_flag, 0, sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  Managed<int> out(32);
  wait_atomically<<<1, 32, 0, works>>>(d_flag, out.get());
  const int one = 1;
  EXPECT_EQ(cudaMemcpyAsync(d_flag, &one, sizeof one, cudaMemcpyHostToDevice, copies), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(works), cudaSuccess);
  EXPECT_EQ(out[31], 1);
  EXPECT_EQ(cudaFree(d_flag), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(works), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(copies), cudaSuccess);
}

__global__ void double_items(int* items) { items[threadIdx.x] *= 2; }

// The stream's later work waits for the kernel, and the host does not.
TEST_F(HostWait, WhatFollowsInTheStreamRunsBehindIt) {
  Managed<int> flag(1), out(64);
  int* h_out = nullptr;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&h_out), 64 * sizeof(int)), cudaSuccess);
  cudaEvent_t before = nullptr, after = nullptr;
  ASSERT_EQ(cudaEventCreate(&before), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&after), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(before), cudaSuccess);
  wait_for_flag<<<1, 64>>>(flag.get(), out.get());
  double_items<<<1, 64>>>(out.get());
  EXPECT_EQ(cudaMemcpyAsync(h_out, out.get(), 64 * sizeof(int), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(out.get(), 0, sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(after), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(before), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(after), cudaErrorNotReady);
  *flag.get() = 3;
  EXPECT_EQ(cudaEventSynchronize(after), cudaSuccess);
  EXPECT_EQ(h_out[0], 6);
  EXPECT_EQ(h_out[63], 132);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(cudaFreeHost(h_out), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(before), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(after), cudaSuccess);
}

__global__ void answer(volatile int* question, volatile int* reply, int num_rounds) {
  for (int round = 1; round <= num_rounds; ++round) {
    while (*question != round) {
    }
    *reply = round;
  }
}

// Host and kernel take turns, and the host makes no call meanwhile.
TEST_F(HostWait, AKernelAnswersAHostThatPollsIt) {
  Managed<int> question(1), reply(1);
  answer<<<1, 1>>>(question.get(), reply.get(), 20);
  for (int round = 1; round <= 20; ++round) {
    *static_cast<volatile int*>(question.get()) = round;
    while (*static_cast<volatile int*>(reply.get()) != round) {
    }
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

__global__ void share(volatile int* flag, int* out) {
  __shared__ int seen[64];
  seen[threadIdx.x] = static_cast<int>(threadIdx.x + blockIdx.x);
  while (*flag == 0) {
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen[blockDim.x - 1 - threadIdx.x];
}

thread_local int host_variable = 1;
thread_local int zeroed_variable;  // lies where shared memory does

TEST_F(HostWait, SharedMemoryAndTheHostsVariablesAreKeptApart) {
  Managed<int> flag(1), out(128);
  host_variable = zeroed_variable = 5;
  share<<<2, 64>>>(flag.get(), out.get());
  EXPECT_EQ(host_variable, 5);
  EXPECT_EQ(zeroed_variable, 5);
  host_variable = zeroed_variable = 6;
  flag.get()[0] = 1;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(host_variable, 6);
  EXPECT_EQ(zeroed_variable, 6);
  EXPECT_EQ(out[0], 63);
  EXPECT_EQ(out[127], 1);
}

TEST_F(HostWait, AHostThatWaitsFirstIsADeadlock) {
  Managed<int> flag(1), out(64);
  wait_for_flag<<<1, 64>>>(flag.get(), out.get());
  cudaDeviceSynchronize();  // kHostLine
  constexpr int kHostLine = __LINE__ - 1;
  flag.get()[0] = 1;
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message, "thread 0 polls memory in line"));
  EXPECT_TRUE(contains(finding.message,
                       "the host waits for this kernel in line " + std::to_string(kHostLine)));
}

// What asynchronous copies read from ordinary memory, they have read when they return.
TEST_F(HostWait, TheHostMayOverwriteWhatItHasCopied) {
  Managed<int> flag(1), out(32), copied(32);
  std::vector<int> source(32, 5);
  wait_for_flag<<<1, 32>>>(flag.get(), out.get());
  flag.get()[0] = 1;
  EXPECT_EQ(cudaMemcpyAsync(copied.get(), source.data(), 32 * sizeof(int), cudaMemcpyDefault),
            cudaSuccess);
  std::fill(source.begin(), source.end(), 6);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(copied[31], 5);
}

// The host variable is the host's own, and another thread may use the device meanwhile.
TEST_F(HostWait, AFunctionOfTheHostRunsBehindIt) {
  Managed<int> flag(1), out(64);
  host_variable = 5;
  zeroed_variable = 6;
  share<<<1, 64>>>(flag.get(), out.get());
  const auto use_device = [](void* sum) {
    std::thread([] { EXPECT_EQ(cudaFree(nullptr), cudaSuccess); }).join();
    *static_cast<int*>(sum) = 10 * host_variable + zeroed_variable;
  };
  int sum = 0;
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, use_device, &sum), cudaSuccess);
  EXPECT_EQ(sum, 0);
  flag.get()[0] = 1;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum, 56);
}

__global__ void wait_and_read(volatile int* flag, const int* in, int* out) {
  while (*flag == 0) {
  }
  out[0] = in[0];
}
constexpr int kReadLine = __LINE__ - 2;

// Whatever the host issues while the kernel waits.
TEST_F(HostWait, AnEarlierCopyInAnotherStreamIsStillARace) {
  cudaStream_t works = nullptr, copies = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), cudaSuccess);
  Managed<int> flag(1), in(1), other(1), out(1);
  EXPECT_EQ(cudaMemcpyAsync(in.get(), other.get(), sizeof(int), cudaMemcpyDefault, copies),
            cudaSuccess);
  wait_and_read<<<1, 1, 0, works>>>(flag.get(), in.get(), out.get());
  EXPECT_EQ(cudaMemsetAsync(other.get(), 0, sizeof(int), copies), cudaSuccess);
  flag.get()[0] = 1;
  EXPECT_EQ(cudaStreamSynchronize(works), cudaSuccess);
  EXPECT_EQ(expect_finding(simt::FindingKind::kRace).line, kReadLine);
  EXPECT_EQ(cudaStreamDestroy(works), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(copies), cudaSuccess);
}

TEST_F(HostWait, AnotherThreadOfTheHostSetsTheFlag) {
  Managed<int> flag(1), out(64);
  wait_for_flag<<<1, 64>>>(flag.get(), out.get());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *static_cast<volatile int*>(flag.get()) = 9;
  });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  writer.join();
  EXPECT_EQ(out[63], 72);
}

TEST_F(HostWait, AThreadThatEndsTakesItsKernelToTheEnd) {
  Managed<int> flag(1), out(64);
  std::atomic<bool> is_launched = false;
  std::thread launcher([&] {
    wait_for_flag<<<1, 64>>>(flag.get(), out.get());
    is_launched = true;
  });
  while (!is_launched) std::this_thread::yield();
  *static_cast<volatile int*>(flag.get()) = 2;
  launcher.join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[1], 3);
}

TEST_F(HostWait, AThreadThatEndsLeavesTheKernelsOfOthers) {
  Managed<int> flag(2), out(64);
  std::atomic<int> stage = 0;
  std::thread other([&] {
    wait_for_flag<<<1, 64>>>(flag.get(), out.get());
    flag.get()[0] = 1;
    cudaDeviceSynchronize();
    stage = 1;
    while (stage != 2) std::this_thread::yield();
  });
  while (stage != 1) std::this_thread::yield();
  wait_for_flag<<<1, 64>>>(flag.get() + 1, out.get());
  stage = 2;
  other.join();
  flag.get()[1] = 4;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[63], 67);
}

// Only the thread that launched the kernel can continue it, so another one gives up.
TEST_F(HostWait, AThreadThatMakesNoFurtherCallIsNamed) {
  Managed<int> flag(1), out(64);
  std::atomic<int> stage = 0;
  std::thread launcher([&] {
    wait_for_flag<<<1, 64>>>(flag.get(), out.get());
    stage = 1;
    while (stage != 2) std::this_thread::yield();
  });
  while (stage != 1) std::this_thread::yield();
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(
      contains(finding.message, "the thread that launched it made no CUDA call within 5 s"));
  stage = 2;
  launcher.join();
}

__global__ void sum_shared(const int* in, int* out) {
  __shared__ int items[64];
  items[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += items[i];
  out[blockIdx.x] = sum;
}

// Each allocates, launches, copies and frees, with its own stream and its own host variables.
TEST_F(HostWait, SeveralThreadsLaunchKernels) {
  constexpr int kNumThreads = 4, kNumRounds = 40, kNumBlocks = 8;
  std::atomic<int> num_right = 0;
  const auto work = [&](int id) {
    host_variable = id;
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    std::vector<int> in(kNumBlocks * 64, id + 1), sums(kNumBlocks);
    for (int round = 0; round < kNumRounds; ++round) {
      int *d_in = nullptr, *d_out = nullptr;
      cudaMalloc(reinterpret_cast<void**>(&d_in), in.size() * sizeof(int));
      cudaMalloc(reinterpret_cast<void**>(&d_out), sums.size() * sizeof(int));
      cudaMemcpyAsync(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
      sum_shared<<<kNumBlocks, 64, 0, stream>>>(d_in, d_out);
      cudaMemcpyAsync(sums.data(), d_out, sums.size() * sizeof(int), cudaMemcpyDeviceToHost,
                      stream);
      cudaStreamSynchronize(stream);
      num_right += std::count(sums.begin(), sums.end(), 64 * (id + 1)) == kNumBlocks;
      cudaFree(d_in);
      cudaFree(d_out);
    }
    cudaStreamDestroy(stream);
    num_right += host_variable == id;
  };
  std::vector<std::thread> threads;
  for (int id = 0; id < kNumThreads; ++id) threads.emplace_back(work, id);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right, kNumThreads * (kNumRounds + 1));
}

}  // namespace
}  // namespace simt_test::host_wait_test
