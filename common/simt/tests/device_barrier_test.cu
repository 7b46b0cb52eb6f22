// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>

#include <numeric>

#include "device_test.h"
#include "simt/sync.h"

namespace simt_test::barrier_test {
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

// The threads that take part in a barrier, and what is wrong with it.
enum class Barriers {
  kInTwoBranchesOfALine,
  kByAMacroInTwoBranches,
  kByGroupsInTwoBranches,
  kInABranch,
  kInABranchOfALoop,
  kInALoopOfOwnLength,
  kBeforeAShuffle,
  kTwiceInABranch,
  kInAFunction,
  kInAFunctionThatReturnsEarly,
};

#define SYNCHRONISE __syncthreads()

// Not inlined, so its barrier lies in another function than the kernel.
__device__ __noinline__ void meet() { __syncthreads(); }

__device__ __noinline__ void write_and_meet(int* out, int num_working) {
  if (threadIdx.x >= num_working) return;
  out[threadIdx.x] = 1;
  meet();
}

template <Barriers kWhich>
__global__ void diverge(int* out) {
  const int t = threadIdx.x;
  const auto block = cooperative_groups::this_thread_block();
  // clang-format off
  if (kWhich == Barriers::kInTwoBranchesOfALine) {
    if (t < 16) { __syncthreads(); } else { __syncthreads(); }
  } else if (kWhich == Barriers::kByAMacroInTwoBranches) {
    if (t < 16) { SYNCHRONISE; } else { SYNCHRONISE; }
  } else if (kWhich == Barriers::kByGroupsInTwoBranches) {
    if (t < 16) { block.sync(); } else { block.sync(); }
    // clang-format on
  } else if (kWhich == Barriers::kInABranch) {
    if (t % 2 == 0) {
      __syncthreads();
      out[t] = 1;
    }
  } else if (kWhich == Barriers::kInABranchOfALoop) {
    for (int stride = 1; stride < 32; stride *= 2) {
      if (t % (2 * stride) == 0) {
        __syncthreads();
        out[t] += stride;
      }
    }
    return;  // nothing behind the loop
  } else if (kWhich == Barriers::kInALoopOfOwnLength) {
    for (int i = 0; i < t; ++i) __syncthreads();
  } else if (kWhich == Barriers::kBeforeAShuffle) {
    if (t < 32) __syncthreads();
    out[t] = __shfl_down_sync(0xffffffffu, t, 1);
    return;
  } else if (kWhich == Barriers::kTwiceInABranch) {
    if (t < 16) {
      __syncthreads();
      out[t] = 1;
      __syncthreads();
    }
  } else if (kWhich == Barriers::kInAFunction) {
    if (t < 16) write_and_meet(out, 64);
  } else if (kWhich == Barriers::kInAFunctionThatReturnsEarly) {
    write_and_meet(out, 16);
    if (t % 2 == 0) out[t] += 1;
  }
  out[t] += 2;
}

template <Barriers kWhich>
std::string divergence() {
  Managed<int> out(64);
  diverge<kWhich><<<1, 64>>>(out.get());
  const std::vector<simt::Finding> findings = simt::take_findings();
  if (findings.empty()) return "nothing";
  EXPECT_EQ(findings[0].kind, simt::FindingKind::kBarrierDivergence);
  return findings[0].message;
}

TEST_F(Barrier, IsTheCallAndNotTheLine) {
  EXPECT_TRUE(contains(divergence<Barriers::kInTwoBranchesOfALine>(), "by different calls"));
  EXPECT_TRUE(contains(divergence<Barriers::kByAMacroInTwoBranches>(), "by different calls"));
  EXPECT_TRUE(contains(divergence<Barriers::kByGroupsInTwoBranches>(), "by different calls"));
}

TEST_F(Barrier, MustNotBePassedWithoutIt) {
  const std::string passed = " went past this barrier to line ";
  EXPECT_TRUE(contains(divergence<Barriers::kInABranch>(), "thread 1 of block 0" + passed));
  EXPECT_TRUE(contains(divergence<Barriers::kInABranchOfALoop>(), "thread 1 of block 0" + passed));
  EXPECT_TRUE(contains(divergence<Barriers::kInALoopOfOwnLength>(), passed));
  EXPECT_TRUE(contains(divergence<Barriers::kBeforeAShuffle>(), "thread 32 of block 0" + passed));
  EXPECT_TRUE(contains(divergence<Barriers::kTwiceInABranch>(), "thread 16 of block 0" + passed));
  EXPECT_TRUE(contains(divergence<Barriers::kInAFunction>(), "thread 16 of block 0" + passed));
  EXPECT_TRUE(contains(divergence<Barriers::kInAFunctionThatReturnsEarly>(),
                       "thread 16 of block 0" + passed));
}

__device__ int root_of(int square) {
  for (int i = 0; i < square; ++i) {
    if (i * i == square) return i;
  }
  return 0;
}

template <bool kInAFunction>
__device__ void synchronise() {
  if (kInAFunction) return meet();
  __syncthreads();
}

// All return early, each in another way, and none passes a barrier.
template <bool kInAFunction>
__global__ void return_in_turns(int* out, int num_working) {
  const int t = threadIdx.x;
  out += blockIdx.x * blockDim.x;
  if (t >= num_working) return;
  for (int round = 0; round < 8; ++round) {
    int steps = root_of(t);
    while (steps > 0) --steps;
    if (t == round) return;
    synchronise<kInAFunction>();
    out[t] += root_of(t) + 1;
    if (t == round + 10) {
      out[t] = -1;
      return;
    } else {
      out[t] += 1;
    }
  }
  if (t % 2 == 0) {
    out[t] = 1;
    synchronise<kInAFunction>();
    out[t] += 1;
  }
}

template <bool kInAFunction>
__global__ void return_from_the_other_branch(int* out) {
  const int t = threadIdx.x;
  for (int round = 0; round < 4; ++round) {
    if (t > round) {
      synchronise<kInAFunction>();
      out[t] += round;
    } else {
      out[t] = 7;
      return;
    }
  }
  out[t] += 2;
}

template <bool kInAFunction>
void return_early() {
  Managed<int> out(512);
  for (const int num_working : {1, 20, 40, 256}) {
    return_in_turns<kInAFunction><<<2, 256>>>(out.get(), num_working);
  }
  return_from_the_other_branch<kInAFunction><<<1, 64>>>(out.get());
}

TEST_F(Barrier, MayBeLeftOutByThreadsThatReturn) {
  return_early<false>();
  return_early<true>();
}

}  // namespace
}  // namespace simt_test::barrier_test
