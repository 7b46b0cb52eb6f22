// SPDX-License-Identifier: MIT
// Races in shared and in global memory; and kernels whose threads share memory correctly.
#include <cooperative_groups.h>

#include "device_test.h"

namespace simt_test::race_test {
namespace {

class Race : public DeviceTest {};

constexpr int kThreads = 64;

// out[t] becomes item t + 1 of shared memory; `barrier` decides what separates write and read.
template <int kBarrier>
__global__ void neighbour_kernel(int* out) {
  __shared__ int items[kThreads + 1];
  const int t = threadIdx.x;
  items[t] = t;
  if (t == 0) items[kThreads] = 0;
  if (kBarrier == 1) __syncthreads();
  if (kBarrier == 2) __syncwarp();
  out[blockIdx.x * kThreads + t] = items[t + 1];
}
constexpr int kWriteLine = __LINE__ - 6;
constexpr int kReadLine = __LINE__ - 3;

TEST_F(Race, FindsAMissingBarrier) {
  Managed<int> out(kThreads);
  simt::set_schedule(3);
  neighbour_kernel<0><<<1, kThreads>>>(out.get());
  bool found = false;
  for (const simt::Finding& finding : simt::take_findings()) {
    if (finding.kind != simt::FindingKind::kRace) continue;
    found = true;
    EXPECT_TRUE(finding.line >= kWriteLine && finding.line <= kReadLine);
    EXPECT_TRUE(contains(finding.message, "line " + std::to_string(kReadLine)));
    EXPECT_TRUE(contains(finding.message, "of the same block"));
  }
  EXPECT_TRUE(found);
}

__global__ void reused_tile_kernel(int rounds, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.y * 32 + threadIdx.x;
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[t] = t + round;
    __syncthreads();
    sum += tile[kThreads - 1 - t];
  }
  out[t] = sum;
}
constexpr int kTileReadLine = __LINE__ - 4;

// A barrier does stand between the two lines, so the message says on which way there is none.
TEST_F(Race, NamesTheWayAroundALoopThatLacksABarrier) {
  Managed<int> out(kThreads);
  reused_tile_kernel<<<1, dim3(32, 2)>>>(1, out.get());
  EXPECT_TRUE(simt::take_findings().empty());
  reused_tile_kernel<<<1, dim3(32, 2)>>>(2, out.get());
  const std::string read = "line " + std::to_string(kTileReadLine);
  const std::string barrier = "line " + std::to_string(kTileReadLine - 1);
  const std::string write = "line " + std::to_string(kTileReadLine - 2);
  bool found = false;
  for (const simt::Finding& finding : simt::take_findings()) {
    if (finding.kind != simt::FindingKind::kRace) continue;
    found = true;
    EXPECT_TRUE(contains(finding.message, "the __syncthreads() in " + barrier + " stands between " +
                                              write + " and " + read +
                                              ", but none stands between " + read + " and " +
                                              write + " of the next round"));
    EXPECT_FALSE(contains(finding.message, "no __syncthreads()"));
    EXPECT_TRUE(contains(finding.message, "that thread ("));  // both by their coordinates
  }
  EXPECT_TRUE(found);
}

__global__ void lost_update_kernel(int* sum) { sum[0] += 1; }

// A barrier or a fence would not help: the message advises an atomic, or another index.
TEST_F(Race, AdvisesAnAtomicOrAnotherIndexWhereOneStatementMeetsItself) {
  Managed<int> sum(1);
  for (const dim3 shape : {dim3(1, 64), dim3(64, 1)}) {  // blocks, threads
    sum[0] = 0;
    lost_update_kernel<<<shape.x, shape.y>>>(sum.get());
    bool found = false;
    for (const simt::Finding& finding : simt::take_findings()) {
      if (finding.kind != simt::FindingKind::kRace) continue;
      found = true;
      EXPECT_TRUE(contains(finding.message, "if both mean to update this value, use an atomic"));
      EXPECT_TRUE(contains(finding.message, "should never meet, check the index"));
      EXPECT_FALSE(contains(finding.message, "a fence"));
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(Race, AllowsABarrierBetween) {
  Managed<int> out(4 * kThreads);
  for (int seed = 0; seed < 4; ++seed) {
    simt::set_schedule(seed);
    neighbour_kernel<1><<<4, kThreads>>>(out.get());
  }
}

TEST_F(Race, FindsThatAWarpsBarrierIsNotTheBlocks) {
  Managed<int> out(kThreads);
  neighbour_kernel<2><<<1, 32>>>(out.get());  // the last item is thread 0's: fine
  EXPECT_EQ(out[0], 1);
  simt::take_findings();  // of the item that no thread of a half block writes
  neighbour_kernel<2><<<1, kThreads>>>(out.get());
  bool found = false;
  for (const simt::Finding& finding : simt::take_findings())
    found |= finding.kind == simt::FindingKind::kRace;
  EXPECT_TRUE(found);
}

__global__ void warp_kernel(int* out) {
  __shared__ int items[kThreads];
  const int t = threadIdx.x, lane = t % 32, base = t - lane;
  for (int round = 0; round < 3; ++round) {
    items[t] = t + round;
    __syncwarp();
    int sum = items[base + (lane + 1) % 32];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    __syncwarp();  // orders the reads before the next writes, which the shuffle does not
    out[t] = sum;
  }
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  __syncwarp();
  items[t] = t;
  __syncwarp(half);
  out[t] += items[base + lane / 16 * 16 + (lane + 1) % 16];
}

TEST_F(Race, AllowsWarpsThatSynchroniseThemselves) {
  Managed<int> out(kThreads);
  warp_kernel<<<1, kThreads>>>(out.get());
}

enum class Between { kSyncwarp, kShuffle, kBallot, kMatch, kReduce };

__global__ void neighbour_in_warp_kernel(int* out, Between between) {
  __shared__ int items[32];
  const int t = threadIdx.x;
  items[t] = t;
  if (between == Between::kSyncwarp) __syncwarp();
  if (between == Between::kShuffle) __shfl_sync(0xffffffffu, t, 0);
  if (between == Between::kBallot) __ballot_sync(0xffffffffu, 1);
  if (between == Between::kMatch) __match_any_sync(0xffffffffu, 1);
  if (between == Between::kReduce) __reduce_add_sync(0xffffffffu, 1u);
  out[t] = items[31 - t];
}

TEST_F(Race, IsNotPreventedByOperationsOnRegisters) {
  Managed<int> out(32);
  neighbour_in_warp_kernel<<<1, 32>>>(out.get(), Between::kSyncwarp);
  EXPECT_TRUE(simt::take_findings().empty());
  for (const Between between :
       {Between::kShuffle, Between::kBallot, Between::kMatch, Between::kReduce}) {
    neighbour_in_warp_kernel<<<1, 32>>>(out.get(), between);
    const std::vector<simt::Finding> findings = simt::take_findings();
    ASSERT_FALSE(findings.empty()) << static_cast<int>(between);
    EXPECT_EQ(findings[0].kind, simt::FindingKind::kRace);
  }
}

__global__ void volatile_warp_kernel(int* out) {
  __shared__ int items[64];
  volatile int* sums = items;
  const int t = threadIdx.x;
  sums[t] = t;
  sums[t + 32] = t;
  sums[t] += sums[t + 16];
  sums[t] += sums[t + 8];
  out[t] = sums[t];
}

TEST_F(Race, FindsWarpSynchronousCode) {
  Managed<int> out(32);
  volatile_warp_kernel<<<1, 32>>>(out.get());
  bool found = false;
  for (const simt::Finding& finding : simt::take_findings())
    found |= finding.kind == simt::FindingKind::kRace;
  EXPECT_TRUE(found);
}

__global__ void add_plainly(int* sum) { *sum += 1; }
__global__ void add_atomically(int* sum) { atomicAdd(sum, 1); }

__global__ void add_in_rounds(int* sum, int num_rounds) {
  for (int round = 0; round < num_rounds; ++round) *sum += 1;
}

// As on a GPU: the emulator's order alone would hide it.
TEST_F(Race, LosesUpdatesOnceItIsKnown) {
  for (const auto& [num_blocks, num_threads] :
       {std::pair{1, 2}, {1, 64}, {2, 1}, {50, 1}, {40, 96}}) {
    Managed<int> sum(1);
    simt::forget_races();
    add_in_rounds<<<num_blocks, num_threads>>>(sum.get(), 3);
    expect_finding(simt::FindingKind::kRace);
    EXPECT_EQ(sum[0], 3 * num_blocks * num_threads);
    sum[0] = 0;
    add_in_rounds<<<num_blocks, num_threads>>>(sum.get(), 3);
    simt::take_findings();
    EXPECT_LT(sum[0], 3 * num_blocks * num_threads);
    EXPECT_GE(sum[0], 3);
  }
}

TEST_F(Race, ChangesNoOrderWhereThereIsNone) {
  Managed<int> sum(1);
  for (int i = 0; i < 2; ++i) add_atomically<<<4, 64>>>(sum.get());
  EXPECT_EQ(sum[0], 512);
}

TEST_F(Race, FindsAPlainSum) {
  Managed<int> sum(1);
  add_plainly<<<2, 1>>>(sum.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message, "of another block"));
  add_atomically<<<8, 64>>>(sum.get());
}

__device__ unsigned num_finished;

template <bool kFence>
__global__ void last_block_kernel(int* sums, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = blockIdx.x;
    if (kFence) __threadfence();
    is_last = atomicInc(&num_finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(out, sums[threadIdx.x]);
}

TEST_F(Race, AllowsATicketBehindAFence) {
  Managed<int> sums(20), out(1);
  for (int seed = 0; seed < 4; ++seed) {
    simt::set_schedule(seed);
    last_block_kernel<true><<<20, 32>>>(sums.get(), out.get());
  }
  EXPECT_EQ(out[0], 4 * 190);
}

TEST_F(Race, FindsATicketWithoutFence) {
  Managed<int> sums(20), out(1);
  last_block_kernel<false><<<20, 32>>>(sums.get(), out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message, "a fence and a flag"));
}

__global__ void chain_kernel(int* data, volatile int* flags) {
  const int b = blockIdx.x;
  if (threadIdx.x == 0 && b > 0) {
    while (flags[b - 1] == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  data[b * 32 + threadIdx.x] = b == 0 ? 1 : data[(b - 1) * 32 + (threadIdx.x + 1) % 32] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) flags[b] = 1;
}

TEST_F(Race, AllowsVolatileFlagsBehindFences) {
  Managed<int> data(40 * 32), flags(40);
  chain_kernel<<<40, 32>>>(data.get(), flags.get());
  EXPECT_EQ(data[39 * 32], 40);
}

// Block 0 writes, half a warp at a time, and the halves' leaders say so; block 1 reads.
template <bool kTileSync, bool kFence>
__global__ void tile_kernel(int* data, int* flag, int* out) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    if (kTileSync) tile.sync();
    if (tile.thread_rank() == 0) {
      if (kFence) __threadfence();
      atomicAdd(flag, 1);
    }
    __syncwarp();  // no lane ends before: the last half would be all that is left of the warp
  } else {
    while (atomicAdd(flag, 0) < 2) {
    }
    __threadfence();
    out[t] = data[t];
  }
}

TEST_F(Race, AllowsAFenceOfOneThreadForTheTileThatItSynchronisedWith) {
  Managed<int> data(32), out(32), flag(1);
  for (int seed = 0; seed < 4; ++seed) {
    flag[0] = 0;
    simt::set_schedule(seed);
    tile_kernel<true, true><<<2, 32>>>(data.get(), flag.get(), out.get());
    EXPECT_EQ(out[31], 31);
  }
}

TEST_F(Race, FindsATileWithoutFenceAndAFenceWithoutTheTile) {
  Managed<int> data(32), out(32), flag(1);
  tile_kernel<true, false><<<2, 32>>>(data.get(), flag.get(), out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message,
                       "of another block writes in line"));
  flag[0] = 0;
  tile_kernel<false, true><<<2, 32>>>(data.get(), flag.get(), out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message,
                       "of another block writes in line"));
}

// Warp 0 of block 0 writes and signals warp 1, which signals block 1.
template <bool kFirstFence, bool kDeviceFence>
__global__ void relay_kernel(int* data, volatile int* flags, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0 && t == 0) {
    *data = 7;
    if (kFirstFence) __threadfence_block();
    flags[0] = 1;
  } else if (blockIdx.x == 0 && t == 32) {
    while (flags[0] == 0) {
    }
    if (kDeviceFence) __threadfence();
    if (!kDeviceFence) __threadfence_block();
    flags[1] = 1;
  } else if (blockIdx.x == 1 && t == 0) {
    while (flags[1] == 0) {
    }
    __threadfence();
    *out = *data;
  }
}

TEST_F(Race, AllowsADeviceFenceToPassOnWhatItsThreadLearnedInTheBlock) {
  Managed<int> data(1), flags(2), out(1);
  for (int seed = 0; seed < 4; ++seed) {
    flags[0] = flags[1] = 0;
    simt::set_schedule(seed);
    relay_kernel<true, true><<<2, 64>>>(data.get(), flags.get(), out.get());
    EXPECT_EQ(out[0], 7);
  }
}

TEST_F(Race, FindsARelayThatLacksAFence) {
  Managed<int> data(1), flags(2), out(1);
  relay_kernel<false, true><<<2, 64>>>(data.get(), flags.get(), out.get());
  expect_finding(simt::FindingKind::kRace);
  flags[0] = flags[1] = 0;
  relay_kernel<true, false><<<2, 64>>>(data.get(), flags.get(), out.get());
  expect_finding(simt::FindingKind::kRace);
}

__global__ void write_same(int* out) { *out = 5; }

TEST_F(Race, AllowsWritesOfTheSameValueByTheSameLine) {
  Managed<int> out(1);
  write_same<<<2, 1>>>(out.get());
  EXPECT_EQ(out[0], 5);
}

template <bool kSameValue>
__global__ void found_kernel(int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  found = kSameValue ? 1 : static_cast<int>(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

TEST_F(Race, AllowsTheSameValueInSharedMemoryOfBlocksThatTakeTurns) {
  Managed<int> out(8 * 32);
  for (int seed = 0; seed < 8; ++seed) {
    simt::set_schedule(seed);
    found_kernel<true><<<8, 32>>>(out.get());
  }
  cudaDeviceSynchronize();
  EXPECT_EQ(std::count(out.get(), out.get() + 8 * 32, 1), 8 * 32);
}

TEST_F(Race, FindsDifferentValuesInSharedMemoryOfBlocksThatTakeTurns) {
  Managed<int> out(2 * 32);
  for (int seed = 0; seed < 4; ++seed) {
    simt::set_schedule(seed);
    found_kernel<false><<<2, 32>>>(out.get());
    EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message,
                         "of the same block writes in line"));
  }
}

__global__ void write_in_two_lines(int* out, int five) {
  if (threadIdx.x == 0) *out = 5;
  if (threadIdx.x == 1) *out = five;
}

TEST_F(Race, FindsWritesOfTheSameValueByTwoLinesAndSaysSo) {
  Managed<int> out(1);
  write_in_two_lines<<<1, 2>>>(out.get(), 5);
  EXPECT_TRUE(
      contains(expect_finding(simt::FindingKind::kRace).message, "both store the same value here"));
}

__global__ void write_different(int* out) { *out = static_cast<int>(threadIdx.x); }

TEST_F(Race, FindsWritesOfDifferentValues) {
  Managed<int> out(1);
  write_different<<<1, 2>>>(out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message,
                       "of the same block writes in line"));
}

__global__ void write_own_bytes(char* out) { out[blockIdx.x * 32 + threadIdx.x] = 1; }

TEST_F(Race, AllowsNeighbouringBytesAndLaterLaunches) {
  Managed<char> out(64);
  write_own_bytes<<<2, 32>>>(out.get());
  write_own_bytes<<<1, 64>>>(out.get());
}

__global__ void add_by_exchange(double* sum) {
  auto* bits = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
  } while (assumed != old);
}

TEST_F(Race, AllowsOptimisticReadsBeforeCompareAndSwap) {
  Managed<double> sum(1);
  add_by_exchange<<<4, 64>>>(sum.get());
  EXPECT_EQ(sum[0], 256.0);
}

}  // namespace
}  // namespace simt_test::race_test
