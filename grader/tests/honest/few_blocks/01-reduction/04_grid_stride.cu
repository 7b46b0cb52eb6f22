// SPDX-License-Identifier: MIT
// style: eight large blocks, whatever the device and the length
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kNumBlocks = 8;

__global__ void tree_kernel(const float* d_in, int num_items, float* d_sums) {
  __shared__ float sums[kThreadsPerBlock];
  const int t = threadIdx.x;
  float sum = 0;
  for (unsigned item = blockIdx.x * kThreadsPerBlock + t; item < num_items;
       item += gridDim.x * kThreadsPerBlock) {
    sum += d_in[item];
  }
  sums[t] = sum;
  for (int stride = kThreadsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (t < stride) sums[t] += sums[t + stride];
  }
  if (t == 0) d_sums[blockIdx.x] = sums[0];
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  float* d_sums = scratch.allocate<float>(kNumBlocks);
  tree_kernel<<<kNumBlocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_sums);
  check_launch();
  tree_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_sums, kNumBlocks, d_out);
  check_launch();
}

}  // namespace lab
