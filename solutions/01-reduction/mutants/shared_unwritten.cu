// SPDX-License-Identifier: MIT
// mutant of: 02_interleaved
// mistake: 16, shared memory read before it is written
// expect: failed uninitialized_read
// also: wrong_result, output_unwritten
// line: 30
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__global__ void interleaved_kernel(const float* d_in, int num_items, float* d_block_sums) {
  __shared__ float tile[kItemsPerBlock];
  const int t = threadIdx.x;

  const int first = blockIdx.x * kItemsPerBlock + t;
  const int second = first + kThreadsPerBlock;
  if (first < num_items) tile[t] = d_in[first];
  if (second < num_items) tile[t + kThreadsPerBlock] = d_in[second];

  for (int stride = 1; stride <= kThreadsPerBlock; stride *= 2) {
    __syncthreads();
    if (t % stride == 0) tile[2 * t] += tile[2 * t + stride];
  }
  if (t == 0) d_block_sums[blockIdx.x] = tile[0];
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const float* d_level = d_in;
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
