// SPDX-License-Identifier: MIT
#include <numeric>

#include "device_test.h"
#include "simt/sync.h"

namespace simt_test {
namespace {

class Barrier : public DeviceTest {};

// Rotates the block's items by one thread, num_rounds times, through shared memory.
__global__ void rotate(int* data, int num_rounds) {
  __shared__ int items[1024];
  int item = data[threadIdx.x];
  for (int round = 0; round < num_rounds; ++round) {
    items[threadIdx.x] = item;
    __syncthreads();
    item = items[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
  }
  data[threadIdx.x] = item;
}

TEST_F(Barrier, OrdersSharedMemoryInBlocksOfAnySize) {
  for (const int num_threads : {1, 31, 32, 33, 100, 1024}) {
    Managed<int> data(num_threads);
    std::iota(data.get(), data.get() + num_threads, 0);
    rotate<<<1, num_threads>>>(data.get(), 5);
    for (int i = 0; i < num_threads; ++i) ASSERT_EQ(data[i], (i + 5) % num_threads);
  }
}

__global__ void return_early(int num_working, int* out) {
  __shared__ int items[256];
  if (threadIdx.x >= num_working) return;
  items[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = items[num_working - 1 - threadIdx.x];
  __syncthreads();
}

TEST_F(Barrier, DoesNotWaitForThreadsThatReturned) {
  for (const int num_working : {1, 31, 32, 33, 255}) {
    Managed<int> out(256, -1);
    return_early<<<1, 256>>>(num_working, out.get());
    for (int i = 0; i < 256; ++i) ASSERT_EQ(out[i], i < num_working ? num_working - 1 - i : -1);
  }
}

__global__ void return_late(int* out) {
  if (threadIdx.x < 40) {
    out[threadIdx.x] = __syncthreads_count(1);  // waits first, the others end after
    return;
  }
  out[threadIdx.x] = -1;
}

TEST_F(Barrier, OpensWhenTheLastOtherThreadEnds) {
  Managed<int> out(64);
  return_late<<<1, 64>>>(out.get());
  EXPECT_EQ(out[0], 40);
  EXPECT_EQ(out[39], 40);
}

__global__ void vote(const int* predicates, int* out) {
  const int predicate = predicates[threadIdx.x];
  const int count = __syncthreads_count(predicate);
  const int all = __syncthreads_and(predicate);
  const int any = __syncthreads_or(predicate);
  if (threadIdx.x == blockDim.x - 1) {
    out[0] = count;
    out[1] = all;
    out[2] = any;
  }
}

TEST_F(Barrier, CountsPredicates) {
  Managed<int> predicates(100), out(3);
  const auto result = [&] {
    vote<<<1, 100>>>(predicates.get(), out.get());
    return out.values();
  };
  EXPECT_EQ(result(), (std::vector{0, 0, 0}));
  predicates[3] = 8;
  predicates[99] = -1;
  EXPECT_EQ(result(), (std::vector{2, 0, 1}));
  std::fill_n(predicates.get(), 100, 256);
  EXPECT_EQ(result(), (std::vector{100, 1, 1}));
}

__global__ void two_barriers(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();  // line A
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();  // line A + 3
  }
}
constexpr int kFirstBarrierLine = __LINE__ - 6;

TEST_F(Barrier, ReportsThreadsThatMeetAtDifferentCalls) {
  Managed<int> out(16);
  two_barriers<<<1, 64>>>(out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kBarrierDivergence);
  EXPECT_EQ(finding.file, "device_barrier_test.cu");
  EXPECT_EQ(finding.line, kFirstBarrierLine);
  EXPECT_EQ(finding.kernel, "two_barriers");
  EXPECT_TRUE(contains(finding.message, "in block 0 threads 0-15 wait"));
  EXPECT_TRUE(contains(finding.message, "threads 16-63 wait at the barrier in line " +
                                            std::to_string(kFirstBarrierLine + 3)));
  EXPECT_EQ(out[15], 1) << "the kernel goes on";
}

__global__ void barrier_against_shuffle(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value += __shfl_down_sync(0xffffffffu, value, 8);
  __syncthreads();
  out[threadIdx.x] = value;
}

TEST_F(Barrier, ReportsADeadlockWithAWarpOperation) {
  Managed<int> out(32);
  barrier_against_shuffle<<<1, 32>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(
      contains(finding.message, "deadlock in block 0: threads 0-15 wait in a warp operation"));
  EXPECT_TRUE(contains(finding.message, "threads 16-31 wait at the block's barrier"));
}

// Every block adds up what all blocks wrote before the barrier, round by round.
__global__ void exchange_between_blocks(int* data, int num_rounds) {
  __shared__ int own;
  const int num_blocks = gridDim.x;
  for (int round = 0; round < num_rounds; ++round) {
    if (threadIdx.x == 0) own = data[(blockIdx.x + 1) % num_blocks] + 1;
    simt::sync_grid();
    if (threadIdx.x == 1) data[blockIdx.x] = own;
    simt::sync_grid();
  }
}

constexpr int kFirstGridBarrierLine = __LINE__ - 6;

cudaError_t exchange(int num_blocks, int num_threads, int* data, int num_rounds) {
  void* args[] = {&data, &num_rounds};
  simt::LaunchConfig config(num_blocks, num_threads);
  config.cooperative = true;
  const simt::LaunchSite site{"exchange_between_blocks", __FILE__, __LINE__};
  return simt::launch_with_pointers(site, config, exchange_between_blocks, args);
}

TEST_F(Barrier, WaitsForAllBlocksOfAGrid) {
  constexpr int kNumBlocks = 50;
  Managed<int> data(kNumBlocks);
  std::iota(data.get(), data.get() + kNumBlocks, 0);
  EXPECT_EQ(exchange(kNumBlocks, 40, data.get(), 3), cudaSuccess);
  for (int i = 0; i < kNumBlocks; ++i) EXPECT_EQ(data[i], (i + 3) % kNumBlocks + 3);
}

TEST_F(Barrier, RefusesCooperativeGridsThatDoNotFit) {
  Managed<int> data(4096);
  EXPECT_EQ(exchange(16 * 2 + 1, 1024, data.get(), 1), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(exchange(16 * 2, 1024, data.get(), 1), cudaSuccess);
}

TEST_F(Barrier, ReportsAGridBarrierInAnOrdinaryLaunch) {
  Managed<int> data(4);
  exchange_between_blocks<<<4, 64>>>(data.get(), 1);
  const simt::Finding finding =
      expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kLaunchError);
  EXPECT_EQ(finding.line, kFirstGridBarrierLine);
  EXPECT_EQ(finding.kernel, "exchange_between_blocks");
  EXPECT_TRUE(contains(finding.message, "cudaLaunchCooperativeKernel"));
}

__global__ void leave_before_the_grid_barrier() {
  if (blockIdx.x == 0) return;
  simt::sync_grid();
}

TEST_F(Barrier, ReportsAGridWhoseBlocksDoNotAllMeet) {
  simt::LaunchConfig config(4, 64);
  config.cooperative = true;
  const simt::LaunchSite site{"leave_before_the_grid_barrier", __FILE__, __LINE__};
  simt::launch_with_pointers(site, config, leave_before_the_grid_barrier, nullptr);
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message, "threads 0-63 wait at the grid's barrier"));
  EXPECT_TRUE(contains(finding.message, "1 block has ended"));
}

}  // namespace
}  // namespace simt_test
