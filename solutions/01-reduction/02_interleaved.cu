// SPDX-License-Identifier: MIT
// A tree in shared memory: each block adds its items pairwise and writes one sum.
// New: no atomics; the blocks' sums are the input of the next launch, until one is left.
// Limit: after the first step every warp has idle lanes, and `t % stride` keeps them scattered.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__global__ void interleaved_kernel(const float* d_in, int num_items, float* d_block_sums) {
  __shared__ float tile[kItemsPerBlock];  // static: its size is known to the compiler
  const int t = threadIdx.x;

  // Two items per thread, half a tile apart: neighbouring threads read neighbouring words twice.
  // Past the end the tile has the identity, so the last, partial block needs no code of its own.
  const int first = blockIdx.x * kItemsPerBlock + t;
  const int second = first + kThreadsPerBlock;
  tile[t] = first < num_items ? d_in[first] : 0.0f;
  tile[t + kThreadsPerBlock] = second < num_items ? d_in[second] : 0.0f;

  // Before a step, tile[k * stride] holds the sum of `stride` items, for every k.
  for (int stride = 1; stride <= kThreadsPerBlock; stride *= 2) {
    __syncthreads();  // tile[2 * t + stride] was written by another thread
    if (t % stride == 0) tile[2 * t] += tile[2 * t + stride];
  }
  if (t == 0) d_block_sums[blockIdx.x] = tile[0];  // thread 0 wrote it: no barrier needed
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const float* d_level = d_in;  // (num_items), then one level's block sums after another
  for (;;) {
    const int num_blocks = std::max(1, ceil_div(num_items, kItemsPerBlock));
    float* d_block_sums = num_blocks == 1 ? d_out : scratch.allocate<float>(num_blocks);
    interleaved_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_level, num_items,
                                                                    d_block_sums);
    check_launch();
    if (num_blocks == 1) return;
    d_level = d_block_sums;
    num_items = num_blocks;
  }
}

}  // namespace lab
