// SPDX-License-Identifier: MIT
// Barriers of a part of a block: PTX's bar.sync and bar.arrive, and tiles of several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "device_counting.h"

namespace simt_test::named_barrier_test {
namespace {

namespace cg = cooperative_groups;

class NamedBarrier : public DeviceTest {};

__device__ void sync_half(unsigned barrier, unsigned num_threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(num_threads) : "memory");
}

// Each half of the block reverses its part.
__global__ void reverse_halves(int* data, int num_threads) {
  __shared__ int tile[128];
  const int half = threadIdx.x / 64, t = threadIdx.x % 64;
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = data[threadIdx.x];
    sync_half(1 + half, num_threads);
    data[threadIdx.x] = tile[64 * half + 63 - t];
    sync_half(1 + half, num_threads);
  }
}

TEST_F(NamedBarrier, OrdersAPartOfABlock) {
  Managed<int> data(128);
  for (int i = 0; i < 128; ++i) data[i] = i;
  reverse_halves<<<1, 128>>>(data.get(), 64);
  cudaDeviceSynchronize();
  EXPECT_EQ(data[0], 63);
  EXPECT_EQ(data[127], 64);
}

class NamedBarrierCounts : public CountingTest {};

TEST_F(NamedBarrierCounts, CountsEachBarrierOnce) {
  Managed<int> data(128);
  const KernelCounters kernel = counted([&] { reverse_halves<<<1, 128>>>(data.get(), 64); });
  EXPECT_EQ(kernel.counters[Counter::kBarriers], 2u * 6);
  EXPECT_EQ(kernel.counters[Counter::kSharedWriteRequests], 4u * 3);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 4u * 3);
}

// Warp 0 fills the buffer and does not wait; the others wait until it is full.
__global__ void produce(int* out, bool arrives) {
  __shared__ int buffer[32];
  if (threadIdx.x < 32) {
    buffer[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (arrives) asm volatile("barrier.cta.arrive.aligned 3, 96;" ::: "memory");
  } else {
    if (arrives) asm volatile("barrier.sync 3, 96;" ::: "memory");
    out[threadIdx.x - 32] = buffer[31 - threadIdx.x % 32];
  }
}

TEST_F(NamedBarrier, LetsAProducerGoOn) {
  Managed<int> out(64);
  produce<<<1, 96>>>(out.get(), true);
  cudaDeviceSynchronize();
  EXPECT_EQ(out[0], 31);
  EXPECT_EQ(out[63], 0);
}

TEST_F(NamedBarrier, WithoutItARaceIsFound) {
  Managed<int> out(64);
  produce<<<1, 96>>>(out.get(), false);
  cudaDeviceSynchronize();
  bool has_race = false;
  for (const simt::Finding& finding : simt::take_findings()) {
    has_race = has_race || finding.kind == simt::FindingKind::kRace;
  }
  EXPECT_TRUE(has_race);
}

// The last warp has 16 threads, of which half leave before: it counts as a whole warp.
__global__ void partial_warp(int* out) {
  if (threadIdx.x >= 40) return;
  asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}

TEST_F(NamedBarrier, CountsWholeWarps) {
  Managed<int> out(40);
  partial_warp<<<1, 48>>>(out.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(out.values(), std::vector<int>(40, 1));
}

__global__ void all_threads(int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 5;
  asm volatile("bar.sync 4;" ::: "memory");
  out[threadIdx.x] = flag;
}

TEST_F(NamedBarrier, IsForAllThreadsWithoutANumber) {
  Managed<int> out(80);
  all_threads<<<1, 80>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<int>(80, 5));
}

TEST_F(NamedBarrier, WaitsForEverForThreadsThatDoNotCome) {
  Managed<int> data(128);
  reverse_halves<<<1, 128>>>(data.get(), 96);
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message, "at barrier 1 (64 of 96 threads are there)"))
      << finding.message;
}

__global__ void different_numbers() { sync_half(1, threadIdx.x < 32 ? 64 : 96); }
__global__ void no_such_barrier() { sync_half(16, 64); }
__global__ void part_of_a_warp() { sync_half(1, 40); }

TEST_F(NamedBarrier, RefusesWhatADeviceLeavesUndefined) {
  different_numbers<<<1, 64>>>();
  const simt::Finding different =
      expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kBarrierDivergence);
  EXPECT_TRUE(contains(different.message, "all must give the same number")) << different.message;
}

TEST_F(NamedBarrier, RefusesANumberThatPtxLacks) {
  no_such_barrier<<<1, 64>>>();
  const simt::Finding finding =
      expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kLaunchError);
  EXPECT_TRUE(contains(finding.message, "barrier 16; PTX has barriers 0 to 15"));
}

TEST_F(NamedBarrier, RefusesAPartOfAWarp) {
  part_of_a_warp<<<1, 64>>>();
  const simt::Finding finding =
      expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kLaunchError);
  EXPECT_TRUE(contains(finding.message, "must be a multiple of 32")) << finding.message;
}

// Tiles of 64 threads in a block of 160: the last has 32.
__global__ void tiles_kernel(int* out) {
  __shared__ cg::block_tile_memory<160> memory;
  __shared__ int values[160];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int t = static_cast<int>(block.thread_rank());
  values[t] = t;
  tile.sync();
  const unsigned last = t >= 128 ? 31 : 63;
  const int neighbour = values[tile.meta_group_rank() * 64 + (last - tile.thread_rank())];
  const int sum = cg::reduce(tile, t, cg::plus<int>());
  const int first = tile.shfl(t, 0);
  const bool some = tile.any(t == 70), every = tile.all(t < 128);
  out[t] = neighbour == static_cast<int>(tile.meta_group_rank() * 64 + last - tile.thread_rank()) &&
           tile.size() == 64 && tile.meta_group_size() == 3 &&
           sum == (t < 64    ? 2016
                   : t < 128 ? 6112
                             : 4592) &&
           first == t / 64 * 64 && some == (t / 64 == 1) && every == (t < 128);
}

TEST_F(NamedBarrier, SynchronisesTilesOfSeveralWarps) {
  Managed<int> out(160);
  tiles_kernel<<<2, 160>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<int>(160, 1));
}

__global__ void lonely_tile(int* out) {
  const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  if (threadIdx.x < 32) tile.sync();
  out[threadIdx.x] = 1;
  if (threadIdx.x >= 32) __syncthreads();
}

TEST_F(NamedBarrier, NamesATileThatWaits) {
  Managed<int> out(128);
  lonely_tile<<<1, 128>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message, "in the sync() of their tile (32 of 128 threads"))
      << finding.message;
}

}  // namespace
}  // namespace simt_test::named_barrier_test
