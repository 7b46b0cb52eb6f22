// SPDX-License-Identifier: MIT
// style: sums are structs with operators, which functions take and return by value
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / 32;

struct Sum {
  float value;

  friend __device__ Sum operator+(Sum left, Sum right) { return {left.value + right.value}; }
  __device__ Sum& operator+=(Sum other) { return *this = *this + other; }
};

__device__ Sum load(const float* d_in, int item) { return {d_in[item]}; }

__device__ Sum of_warp(Sum sum) {
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += Sum{__shfl_down_sync(~0u, sum.value, offset)};
  }
  return sum;
}

__device__ Sum of_block(Sum sum, Sum* warp_sums) {
  sum = of_warp(sum);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  return of_warp(threadIdx.x < kNumWarps ? warp_sums[threadIdx.x] : Sum{0});
}

__global__ void structs_kernel(const float* d_in, int num_items, Sum* d_sums) {
  __shared__ Sum warp_sums[kNumWarps];
  const unsigned num_threads = gridDim.x * kThreadsPerBlock;
  Sum sum{0};
  for (unsigned item = blockIdx.x * kThreadsPerBlock + threadIdx.x; item < num_items;
       item += num_threads) {
    sum += load(d_in, item);
  }
  sum = of_block(sum, warp_sums);
  if (threadIdx.x == 0) d_sums[blockIdx.x] = sum;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int most_blocks = max_resident_blocks(structs_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, most_blocks);
  Sum* d_sums = scratch.allocate<Sum>(num_blocks);
  structs_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_sums);
  check_launch();
  structs_kernel<<<1, kThreadsPerBlock, 0, stream>>>(reinterpret_cast<const float*>(d_sums),
                                                     num_blocks, reinterpret_cast<Sum*>(d_out));
  check_launch();
}

}  // namespace lab
