// SPDX-License-Identifier: MIT
// The same tree, folded: the active threads are always the first `stride` of the block.
// New: long strides first, so that whole warps retire, and neighbouring lanes use neighbouring
// banks. No divergence until fewer than 32 threads are left, no bank conflicts. Limit: one barrier
// per step, and ten steps of shrinking work for two loads per thread.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__global__ void contiguous_kernel(const float* d_in, int num_items, float* d_block_sums) {
  __shared__ float tile[kItemsPerBlock];  // static: its size is known to the compiler
  const int t = threadIdx.x;

  // Two items per thread, half a tile apart: neighbouring threads read neighbouring words twice.
  // Past the end the tile has the identity, so the last, partial block needs no code of its own.
  const int first = blockIdx.x * kItemsPerBlock + t;
  const int second = first + kThreadsPerBlock;
  tile[t] = first < num_items ? d_in[first] : 0.0f;
  tile[t + kThreadsPerBlock] = second < num_items ? d_in[second] : 0.0f;

  // Before a step, the sums of the whole tile are in its first 2 * stride words.
  for (int stride = kThreadsPerBlock; stride >= 1; stride /= 2) {
    __syncthreads();  // tile[t + stride] was written by another thread
    if (t < stride) tile[t] += tile[t + stride];
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
    contiguous_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_level, num_items,
                                                                   d_block_sums);
    check_launch();
    if (num_blocks == 1) return;
    d_level = d_block_sums;
    num_items = num_blocks;
  }
}

}  // namespace lab
