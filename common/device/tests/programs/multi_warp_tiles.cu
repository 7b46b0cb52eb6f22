// SPDX-License-Identifier: MIT
// Parts of a block that wait for each other alone: a producer and consumers by PTX's named
// barriers, and a reduction over tiles of 128 threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kWarp = 32;
constexpr int kConsumers = 3 * kWarp;
constexpr int kRounds = 8;

enum Barrier : unsigned { kFull = 1, kEmpty = 2 };

__device__ void sync(Barrier barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(static_cast<unsigned>(barrier)), "r"(kWarp + kConsumers)
               : "memory");
}
__device__ void arrive(Barrier barrier) {
  asm volatile("bar.arrive %0, %1;" ::"r"(static_cast<unsigned>(barrier)), "r"(kWarp + kConsumers)
               : "memory");
}

// Warp 0 fills a buffer, round by round, while the others add up the round before.
__global__ void pipeline(const int* in, int* sums) {
  __shared__ int buffer[kConsumers];
  const int t = threadIdx.x;
  if (t < kWarp) {
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) sync(kEmpty);
      for (int i = t; i < kConsumers; i += kWarp) buffer[i] = in[round * kConsumers + i];
      arrive(kFull);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < kRounds; ++round) {
      sync(kFull);
      sum += buffer[t - kWarp];
      if (round + 1 < kRounds) arrive(kEmpty);
    }
    sums[t - kWarp] = sum;
  }
}

__global__ void tile_sums(const int* in, int* sums) {
  __shared__ cg::block_tile_memory<256> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
}

int main() {
  int *in, *sums;
  CHECK_CUDA(cudaMallocManaged(&in, kRounds * kConsumers * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&sums, kConsumers * sizeof(int)));
  for (int i = 0; i < kRounds * kConsumers; ++i) in[i] = i;
  pipeline<<<1, kWarp + kConsumers>>>(in, sums);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < kConsumers; ++i) {
    EXPECT(sums[i] == kRounds * i + kConsumers * kRounds * (kRounds - 1) / 2);
  }
  tile_sums<<<1, 256>>>(in, sums);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(sums[0] == 127 * 128 / 2);
  EXPECT(sums[1] == 127 * 128 / 2 + 128 * 128);
  CHECK_CUDA(cudaFree(in));
  CHECK_CUDA(cudaFree(sums));
  return 0;
}
