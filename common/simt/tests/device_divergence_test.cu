// SPDX-License-Identifier: MIT
// Control-flow counters: which lanes of a warp execute an instruction together.
#include <sys/resource.h>

#include "device_counting.h"

namespace simt_test::divergence_test {
namespace {

class Divergence : public CountingTest {};

// ---- the two halves of the reduction lecture

__global__ void sum_interleaved(int* out, int stride) {
  __shared__ int partial[1024];
  const int t = threadIdx.x;
  partial[t] = 1;
  __syncthreads();
  if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
  __syncthreads();
  if (t == 0) out[0] = partial[0];
}

__global__ void sum_contiguous(int* out, int stride) {
  __shared__ int partial[1024];
  const int t = threadIdx.x;
  partial[t] = 1;
  __syncthreads();
  if (t < stride) partial[t] += partial[t + stride];
  __syncthreads();
  out[t] = partial[t];
}

__global__ void every(int* out, int stride) {
  if (threadIdx.x % stride == 0) out[threadIdx.x] = 1;
}

__global__ void below(int* out, int stride) {
  if (threadIdx.x < stride) out[threadIdx.x] = 1;
}

TEST_F(Divergence, OfEveryStridethThread) {
  Managed<int> out(1024);
  const auto divergent = [&](int stride) {
    return counted([&] { every<<<1, 1024>>>(out.get(), stride); })
        .counters[Counter::kDivergentBranches];
  };
  EXPECT_EQ(divergent(1), 0u);
  for (int stride = 2; stride <= 32; stride *= 2) EXPECT_EQ(divergent(stride), 32u) << stride;
  std::uint64_t expected = 16;
  for (int stride = 64; stride <= 1024; stride *= 2, expected /= 2) {
    EXPECT_EQ(divergent(stride), expected) << stride;
  }
}

TEST_F(Divergence, OfTheFirstThreads) {
  Managed<int> out(1024);
  for (int stride = 512; stride > 0; stride /= 2) {
    const KernelCounters kernel = counted([&] { below<<<1, 1024>>>(out.get(), stride); });
    EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], stride >= 32 ? 0u : 1u) << stride;
    EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], std::max(1, stride / 32)) << stride;
  }
}

TEST_F(Divergence, BehindABarrierCounts) {
  Managed<int> out(1024);
  const auto divergent = [&](auto kernel, int stride) {
    return counted([&] { kernel<<<1, 1024>>>(out.get(), stride); })
        .counters[Counter::kDivergentBranches];
  };
  // One more for `t == 0`.
  EXPECT_EQ(divergent(sum_interleaved, 1), 33u);
  EXPECT_EQ(divergent(sum_interleaved, 256), 3u);
  EXPECT_EQ(divergent(sum_contiguous, 512), 0u);
  EXPECT_EQ(divergent(sum_contiguous, 16), 1u);
}

TEST_F(Divergence, BelongsToTheLineOfTheBranch) {
  Managed<int> out(1024);
  const KernelCounters kernel = counted([&] { below<<<1, 32>>>(out.get(), 5); });
  for (const LineCounters& line : kernel.lines) {
    if (line.counters[Counter::kDivergentBranches] == 0) continue;
    EXPECT_EQ(line.counters[Counter::kGlobalWriteLanes], 5u) << "the line of the if";
    return;
  }
  FAIL() << "no line has the branch";
}

// ---- loops

__global__ void loops_by_lane(const int* in, int* out) {
  int sum = 0;
  for (int i = 0; i < threadIdx.x; ++i) sum += in[i * 32 + threadIdx.x];
  out[threadIdx.x] = sum;  // together again
}

TEST_F(Divergence, LoopsOfDifferentTripCountsReconverge) {
  Managed<int> in(1024, 1), out(32);
  const KernelCounters kernel = counted([&] { loops_by_lane<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(out[31], 31);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 31u);  // one an iteration
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 31u * 32 / 2);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 1u);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 31u);  // some lane leaves each time
}

__global__ void nested_loops(const int* in, int* out) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < threadIdx.x % 4; ++j) sum += in[j * 32 + threadIdx.x];
    out[i * 32 + threadIdx.x] = sum;  // together in each iteration
    if (threadIdx.x % 8 == i) continue;
    sum += in[threadIdx.x];
  }
}

TEST_F(Divergence, InnerLoopsReconvergeInEachIteration) {
  Managed<int> in(1024, 1), out(128);
  const KernelCounters kernel = counted([&] { nested_loops<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 4u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 4u * 3 + 4);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 4u * (24 + 16 + 8) + 4 * 28);
}

__global__ void grid_stride(const float* in, int num_items, float* out) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < num_items; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

TEST_F(Divergence, AGridStrideLoopDivergesInItsLastWarpOnly) {
  Managed<float> in(10000), out(512);
  const auto run = [&](int num_items) {
    return counted([&] { grid_stride<<<4, 128>>>(in.get(), num_items, out.get()); });
  };
  EXPECT_EQ(run(5120).counters[Counter::kDivergentBranches], 0u);
  const KernelCounters kernel = run(5120 + 40);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 1u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 160u + 2);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 5160u);
}

// Long enough to fill a lane's buffer many times over.
__global__ void long_loop(const int* in, int num_iterations, int* out) {
  int sum = 0;
  for (int i = 0; i < num_iterations; ++i) {
    if ((i + threadIdx.x) % 3 == 0) sum += in[threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

TEST_F(Divergence, LongLoopsAreCountedInPieces) {
  constexpr int kIterations = 10000;
  Managed<int> in(64, 1), out(64);
  const KernelCounters kernel =
      counted([&] { long_loop<<<1, 64>>>(in.get(), kIterations, out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 2u * kIterations);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 2u * kIterations);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 2u);
  for (int i = 0; i < 64; ++i) EXPECT_NEAR(out[i], kIterations / 3, 1);
}

std::size_t peak_memory_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

TEST_F(Divergence, AMillionIterationsTakeLittleMemory) {
  constexpr int kIterations = 1'000'000;
  Managed<int> in(64, 1), out(64);
  counted([&] { long_loop<<<1, 3>>>(in.get(), 10, out.get()); });  // reads the debug information
  const std::size_t before = peak_memory_bytes();
  const KernelCounters kernel =
      counted([&] { long_loop<<<1, 3>>>(in.get(), kIterations, out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 1u * kIterations);
  EXPECT_LT(peak_memory_bytes() - before, std::size_t{8} << 20);
}

// ---- branches

__global__ void early_return(const int* in, int num_items, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_items) return;
  out[i] = in[i];
}

TEST_F(Divergence, AnEarlyReturnDivergesOnce) {
  Managed<int> in(256), out(256);
  const KernelCounters kernel =
      counted([&] { early_return<<<2, 128>>>(in.get(), 200, out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 1u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 7u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 200u);
}

__device__ __noinline__ int load_from(const int* in, int i) {
  if (i % 2 == 0) return in[i];
  return in[i] + 1;
}

__global__ void calls_in_branches(const int* in, int* out) {
  int value = 0;
  if (threadIdx.x < 12) value = load_from(in, threadIdx.x);
  out[threadIdx.x] = value;  // together
  out[32 + threadIdx.x] = load_from(in, threadIdx.x) + in[threadIdx.x];
}

TEST_F(Divergence, CallsReturnTogether) {
  Managed<int> in(64, 1), out(64);
  const KernelCounters kernel = counted([&] { calls_in_branches<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 2u + 2 + 1);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 12u + 32 + 32);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 2u);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 3u);
}

__global__ void switches(const int* in, int* out) {
  int value = 0;
  switch (threadIdx.x % 4) {
    case 0:
      value = in[threadIdx.x];
      break;
    case 1:
      value = in[threadIdx.x + 1] * 2;
      break;
    case 2:
      value = in[threadIdx.x + 2] * 3;  // and
    default:
      value += in[threadIdx.x + 3] * 4;
      break;
  }
  out[threadIdx.x] = value;
}

TEST_F(Divergence, ASwitchRunsItsCasesOneByOne) {
  Managed<int> in(64, 1), out(64);
  const KernelCounters kernel = counted([&] { switches<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 4u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 8u + 8 + 8 + 16);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 1u);
  EXPECT_GE(kernel.counters[Counter::kDivergentBranches], 1u);
}

__global__ void nested_branches(int* out) {
  const int t = threadIdx.x;
  if (t < 16) {
    if (t < 8) {
      out[t] = 1;
    } else {
      out[t] = 2;
    }
    out[32 + t] = 3;
  } else {
    out[t] = 4;
  }
  out[64 + t] = 5;
}

TEST_F(Divergence, NestedBranchesReconvergeFromTheInside) {
  Managed<int> out(96);
  const KernelCounters kernel = counted([&] { nested_branches<<<1, 32>>>(out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 5u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteLanes], 8u + 8 + 16 + 16 + 32);
}

__global__ void selects(const int* in, int* out) {
  const int item = in[threadIdx.x];
  int value = threadIdx.x % 2 == 0 ? item * 3 : 0;
  if (threadIdx.x % 3 == 0) value += item;
  out[threadIdx.x] = value;
}

TEST_F(Divergence, AShortChoiceOfValuesIsNoBranch) {
  Managed<int> in(32, 1), out(32);
  const KernelCounters kernel = counted([&] { selects<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 0u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 1u);
}

// ---- warp operations

__global__ void warp_sum(const int* in, int* out) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffff, value, delta);
  int scanned = value;
  for (int delta = 1; delta < 32; delta *= 2) {
    const int other = __shfl_up_sync(0xffffffff, scanned, delta);
    scanned += threadIdx.x % 32 >= delta ? other : 0;
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = value + scanned;
}

TEST_F(Divergence, ShufflesCountOnceAWarpAndDoNotDiverge) {
  Managed<int> in(64, 1), out(2);
  const KernelCounters kernel = counted([&] { warp_sum<<<1, 64>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kWarpOperations], 2u * 10);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 2u);
}

__global__ void branch_on_vote(const int* in, int* out) {
  const unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x] > 0);
  if (votes >> threadIdx.x & 1) out[threadIdx.x] = 1;
  __syncwarp();
  out[32 + threadIdx.x] = 2;
}

TEST_F(Divergence, BehindAWarpOperationCounts) {
  Managed<int> in(32), out(64);
  in[3] = in[4] = 1;
  const KernelCounters kernel = counted([&] { branch_on_vote<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 1u);
  EXPECT_EQ(kernel.counters[Counter::kWarpOperations], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteLanes], 34u);
}

// ---- waiting for other threads

__global__ void look_back(volatile int* sums, unsigned* ticket, int* out) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (block > 0) {
      while ((before = sums[block - 1]) == 0) {
      }
    }
    __threadfence();
    sums[block] = before + 1;
  }
  out[block * blockDim.x + threadIdx.x] = block;
}

TEST_F(Divergence, BlocksThatWaitForOthersAreCounted) {
  for (const std::uint64_t seed : {0, 5}) {
    simt::set_schedule(seed);
    Managed<int> sums(100), out(6400);
    Managed<unsigned> ticket(1);
    const KernelCounters kernel =
        counted([&] { look_back<<<100, 64>>>(sums.get(), ticket.get(), out.get()); });
    EXPECT_EQ(sums[99], 100);
    EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 100u * 2 + 100);
    EXPECT_EQ(kernel.counters[Counter::kGlobalAtomicRequests], 100u);
    EXPECT_EQ(kernel.counters[Counter::kBarriers], 100u);
  }
}

// Lane 1 lets lane 0 go only after a loop that fills its buffer.
__global__ void wait_for_neighbour(volatile int* flag, const int* in, int num_iterations,
                                   int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
  } else {
    int sum = 0;
    for (int i = 0; i < num_iterations; ++i) sum += in[(i + threadIdx.x) % 32];
    out[threadIdx.x] = sum;
    if (threadIdx.x == 1) *flag = 1;
  }
}

TEST_F(Divergence, ALaneThatPollsDoesNotHoldUpItsWarp) {
  Managed<int> flag(1), in(32, 1), out(32);
  const KernelCounters kernel =
      counted([&] { wait_for_neighbour<<<1, 32>>>(flag.get(), in.get(), 5000, out.get()); });
  EXPECT_EQ(out[31], 5000);
  EXPECT_GT(kernel.counters[Counter::kGlobalReadRequests], 5000u);
  simt::take_findings();  // nothing orders the flag's readers
}

// ---- determinism

TEST_F(Divergence, CountersDoNotDependOnTheSchedule) {
  Managed<int> in(2048, 1), out(2048);
  const auto run = [&](std::uint64_t seed) {
    simt::set_schedule(seed);
    simt::CounterSet all;
    all += counted([&] { nested_loops<<<4, 32>>>(in.get(), out.get()); }).counters;
    all += counted([&] { long_loop<<<2, 64>>>(in.get(), 3000, out.get()); }).counters;
    all += counted([&] { warp_sum<<<1, 64>>>(in.get(), out.get()); }).counters;
    simt::take_findings();  // the blocks write the same values to the same places
    return all;
  };
  const simt::CounterSet natural = run(0);
  EXPECT_EQ(run(0), natural);
  EXPECT_EQ(run(7), natural);
  EXPECT_EQ(run(99), natural);
}

}  // namespace
}  // namespace simt_test::divergence_test
