// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory: a read before they have arrived is reported.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "device_counting.h"

namespace simt_test::async_copy_test {
namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kTiles = 5;

class AsyncCopy : public CountingTest {
 protected:
  AsyncCopy() : in_(kTiles * kThreads), out_(kThreads) {
    for (int i = 0; i < kTiles * kThreads; ++i) in_[i] = i * i % 1000;
  }

  Managed<int> in_;
  Managed<int> out_;
};

enum Wait { kNone, kTooFew, kNoCommit, kRight };

// out[t] becomes the item of the thread at the block's other end.
__global__ void mirror_kernel(const int* in, int* out, Wait wait) {
  __shared__ int items[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&items[t], &in[t], sizeof(int));
  if (wait != kNoCommit) __pipeline_commit();
  if (wait != kNone) __pipeline_wait_prior(wait == kTooFew ? 1 : 0);
  __syncthreads();
  out[t] = items[kThreads - 1 - t];
}
constexpr int kCopyLine = __LINE__ - 6;
constexpr int kReadLine = __LINE__ - 3;

TEST_F(AsyncCopy, FindsAReadWithoutAWait) {
  for (const Wait wait : {kNone, kTooFew, kNoCommit}) {
    mirror_kernel<<<1, kThreads>>>(in_.get(), out_.get(), wait);
    const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
    EXPECT_EQ(finding.line, kReadLine) << wait;
    EXPECT_TRUE(contains(finding.message, "that a copy that thread 63 began in line " +
                                              std::to_string(kCopyLine) + " has not filled"))
        << finding.message;
    const char* const why = wait == kNone ? "has committed the copy, but must also wait for it"
                            : wait == kTooFew
                                ? "it is in the newest batch, which that thread's last"
                                : "must commit its copies and wait for them";
    EXPECT_TRUE(contains(finding.message, why)) << finding.message;
    cudaDeviceSynchronize();
    EXPECT_NE(out_[0], in_[kThreads - 1]);  // as on a device that is slow to copy
  }
}

TEST_F(AsyncCopy, BringsWhatIsWaitedFor) {
  mirror_kernel<<<1, kThreads>>>(in_.get(), out_.get(), kRight);
  cudaDeviceSynchronize();
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(out_[t], in_[kThreads - 1 - t]);
}

// Sums a column of tiles: while it uses one, the next is being copied.
template <int kLater>
__global__ void two_stages_kernel(const int* in, int* out) {
  __shared__ int stages[2][kThreads];
  const int t = threadIdx.x;
  const auto fetch = [&](int tile) {
    if (tile < kTiles) __pipeline_memcpy_async(&stages[tile % 2][t], &in[tile * kThreads + t], 4);
    __pipeline_commit();
  };
  int sum = 0;
  fetch(0);
  for (int tile = 0; tile < kTiles; ++tile) {
    fetch(tile + 1);
    __pipeline_wait_prior(kLater);
    __syncthreads();
    sum += stages[tile % 2][kThreads - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

TEST_F(AsyncCopy, AllowsOneBatchOnItsWayWhileAnotherIsUsed) {
  simt::take_counters();
  simt::set_counting(true);
  two_stages_kernel<1><<<1, kThreads>>>(in_.get(), out_.get());
  cudaDeviceSynchronize();
  simt::set_counting(false);
  const simt::CounterSet counters = simt::take_counters().at(0).counters;
  EXPECT_EQ(counters[simt::Counter::kCopiesToShared], kTiles * kThreads);
  // The first tile's copies have no wait before the one that they must be there for.
  EXPECT_EQ(counters[simt::Counter::kCopiesOutlastingWaits], (kTiles - 1) * kThreads);
  int sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) sum += in_[tile * kThreads + kThreads - 1];
  EXPECT_EQ(out_[0], sum);
}

TEST_F(AsyncCopy, FindsAWaitForOneBatchTooFew) {
  two_stages_kernel<2><<<1, kThreads>>>(in_.get(), out_.get());
  expect_finding(simt::FindingKind::kRace);
}

__global__ void group_kernel(const int* in, int* out, bool waits) {
  __shared__ int items[kThreads];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, items, in, sizeof(items));
  if (waits) cg::wait(block);
  block.sync();
  out[threadIdx.x] = items[kThreads - 1 - threadIdx.x];
}

__global__ void pipeline_kernel(const int* in, int* out, bool waits) {
  __shared__ int items[kThreads];
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&items[threadIdx.x], &in[threadIdx.x], sizeof(int), pipeline);
  pipeline.producer_commit();
  if (waits) pipeline.consumer_wait();
  __syncthreads();
  out[threadIdx.x] = items[kThreads - 1 - threadIdx.x];
  pipeline.consumer_release();
}

TEST_F(AsyncCopy, KnowsTheOtherWaysToCopy) {
  for (const auto kernel : {group_kernel, pipeline_kernel}) {
    kernel<<<1, kThreads>>>(in_.get(), out_.get(), true);
    cudaDeviceSynchronize();
    EXPECT_EQ(out_[0], in_[kThreads - 1]);
    kernel<<<1, kThreads>>>(in_.get(), out_.get(), false);
    expect_finding(simt::FindingKind::kRace);
  }
}

template <bool kLooks>
__global__ void try_wait_kernel(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int items[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  items[threadIdx.x] = threadIdx.x;
  auto token = barrier.arrive();
  if (kLooks) {
    while (!barrier.try_wait(token)) {
    }
  }
  out[threadIdx.x] = items[kThreads - 1 - threadIdx.x];
}

TEST_F(AsyncCopy, KnowsABarrierThatIsAskedWhetherItIsThere) {
  try_wait_kernel<true><<<1, kThreads>>>(out_.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(out_[0], kThreads - 1);
  simt::set_schedule(1);
  try_wait_kernel<false><<<1, kThreads>>>(out_.get());
  bool found = false;
  for (const simt::Finding& finding : simt::take_findings())
    found |= finding.kind == simt::FindingKind::kRace;
  EXPECT_TRUE(found);
}

__global__ void leaves_early_kernel(const int* in) {
  __shared__ int items[kThreads];
  __pipeline_memcpy_async(&items[threadIdx.x], &in[threadIdx.x], sizeof(int));
}

TEST_F(AsyncCopy, ForgetsWhatABlockLeftBehind) {
  leaves_early_kernel<<<3, kThreads>>>(in_.get());
  mirror_kernel<<<3, kThreads>>>(in_.get(), out_.get(), kRight);
  cudaDeviceSynchronize();
  EXPECT_EQ(out_[0], in_[kThreads - 1]);
}

// Thread t copies one vector of 16 bytes, of which zero_bytes become zero.
__global__ void vectors_kernel(const int* in, int* out, int first_in, int first_tile,
                               int size_bytes, int zero_bytes) {
  __shared__ alignas(16) int tile[4 * kThreads + 4];
  const int t = threadIdx.x;
  int* const mine = &tile[first_tile + 4 * t];
  __pipeline_memcpy_async(mine, &in[first_in + 4 * t], size_bytes, zero_bytes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < size_bytes / 4; ++i) out[4 * t + i] = mine[i];
}
constexpr int kVectorLine = __LINE__ - 5;

TEST_F(AsyncCopy, FindsMisalignedSides) {
  Managed<int> out(4 * kThreads);
  vectors_kernel<<<1, kThreads>>>(in_.get(), out.get(), 1, 0, 16, 0);
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_EQ(finding.line, kVectorLine);
  EXPECT_TRUE(contains(finding.message, "copies 16 bytes asynchronously from 0x"));
  EXPECT_TRUE(contains(finding.message, "4 bytes past a multiple of 16"));
  vectors_kernel<<<1, kThreads>>>(in_.get(), out.get(), 0, 1, 8, 0);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned).message,
               "copies 8 bytes asynchronously to 0x"));
  vectors_kernel<<<1, kThreads>>>(in_.get(), out.get(), 1, 1, 4, 0);
  cudaDeviceSynchronize();
  EXPECT_EQ(out[4], in_[5]);
}

TEST_F(AsyncCopy, FindsSizesThatThereAreNot) {
  Managed<int> out(4 * kThreads);
  vectors_kernel<<<1, kThreads>>>(in_.get(), out.get(), 0, 0, 12, 0);
  const simt::Finding finding = expect_fault(cudaErrorAssert, simt::FindingKind::kCrash);
  EXPECT_EQ(finding.line, kVectorLine);
  EXPECT_TRUE(contains(finding.message, "4, 8 or 16 bytes at a time"));
  vectors_kernel<<<1, kThreads>>>(in_.get(), out.get(), 0, 0, 8, 9);
  expect_fault(cudaErrorAssert, simt::FindingKind::kCrash);
}

TEST_F(AsyncCopy, WritesOneWordHoweverManyZerosItHolds) {
  Managed<int> out(4 * kThreads, -1);
  for (const int zero_bytes : {0, 4, 16}) {
    const KernelCounters kernel =
        counted([&] { vectors_kernel<<<1, 32>>>(in_.get(), out.get(), 0, 0, 16, zero_bytes); });
    const LineCounters& line = line_of(kernel, kVectorLine);
    EXPECT_EQ(line.counters[Counter::kSharedWriteRequests], 1u) << zero_bytes;
    EXPECT_EQ(line.counters[Counter::kGlobalReadBytes], 32u * (16 - zero_bytes));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(out[40 + i], i < 4 - zero_bytes / 4 ? in_[40 + i] : 0);
  }
  vectors_kernel<<<1, 1>>>(in_.get(), out.get(), 4, 0, 16, 5);
  cudaDeviceSynchronize();
  EXPECT_EQ(out[2], in_[6] & 0xffffff);
  EXPECT_EQ(out[3], 0);
}

// The first warp copies tiles, the second adds them up.
__global__ void produce_and_consume(const int* in, int* out, int num_tiles) {
  constexpr int kWarp = 32, kStages = 2;
  __shared__ int tiles[kStages][kWarp];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cooperative_groups::this_thread_block();
  const bool produces = threadIdx.x < kWarp;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int sum = 0;
  for (int i = 0; i < num_tiles; ++i) {
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tiles[i % kStages][lane], in + i * kWarp + lane, sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      sum += tiles[i % kStages][kWarp - 1 - lane];
      pipeline.consumer_release();
    }
  }
  if (!produces) out[lane] = sum;
}

TEST_F(AsyncCopy, SharesAPipelineByRoles) {
  Managed<int> in(5 * 32), out(32);
  for (int i = 0; i < 5 * 32; ++i) in[i] = i;
  produce_and_consume<<<1, 64>>>(in.get(), out.get(), 5);
  EXPECT_EQ(out[0], 5 * 31 + 32 * (0 + 1 + 2 + 3 + 4));
}

}  // namespace
}  // namespace simt_test::async_copy_test
