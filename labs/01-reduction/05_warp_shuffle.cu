// SPDX-License-Identifier: MIT
// A warp adds its 32 sums from register to register; shared memory only carries one sum per warp.
// The loads and the two launches are those of 04.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Returns the warp's sum in lane 0. All 32 lanes must call.
__device__ float warp_sum(float value) {
  // TODO 1. __shfl_down_sync(mask, value, offset) returns the value of the lane that is `offset`
  //         above. Fold the warp with offsets 16, 8, 4, 2, 1. Which mask names all 32 lanes?
  //         What do the lanes other than 0 hold at the end?
  return value;
}

// Returns the block's sum in thread 0. All threads must call; blockDim.x is a multiple of 32.
__device__ float block_sum(float value) {
  // TODO 2. One word of shared memory per warp: how many words at most?
  // TODO 3. Lane 0 of each warp writes its warp's sum; then the first warp adds these up with
  //         warp_sum. What do its lanes beyond the number of warps contribute?
  // TODO 4. How many barriers are needed, and which reads do they guard?
  return warp_sum(value);
}

// Writes the sum of what block b's threads pick from d_in (num_items) to d_block_sums[b].
__global__ void warp_shuffle_kernel(const float* d_in, int num_items, float* d_block_sums) {
  float sum = 0.0f;
  // TODO 5. The grid-stride loop of your 04.
  sum = block_sum(sum);
  if (threadIdx.x == 0) d_block_sums[blockIdx.x] = sum;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("05_warp_shuffle: write the kernel and its two launches, then delete this line");

  // TODO 6. The launches of your 04. Is dynamic shared memory still needed?
  const int num_blocks = max_resident_blocks(warp_shuffle_kernel, kThreadsPerBlock);
  float* d_block_sums = scratch.allocate<float>(num_blocks);
  warp_shuffle_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
  warp_shuffle_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
