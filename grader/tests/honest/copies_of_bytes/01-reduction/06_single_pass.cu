// SPDX-License-Identifier: MIT
// style: loads its vectors by memcpy, clears shared memory by memset
#include <algorithm>
#include <cstring>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorBytes = 16;
constexpr int kItemsPerVector = kVectorBytes / sizeof(float);

__global__ void copying_kernel(const float* d_in, int num_items, float* d_out) {
  __shared__ float warp_sums[32];
  if (threadIdx.x == 0) memset(warp_sums, 0, sizeof warp_sums);
  __syncthreads();

  const int num_threads = gridDim.x * kThreadsPerBlock;
  const int thread = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  const int num_vectors = num_items / kItemsPerVector;
  float sum = 0;
  for (int vector = thread; vector < num_vectors; vector += num_threads) {
    float items[kItemsPerVector];
    memcpy(items, reinterpret_cast<const float4*>(d_in) + vector, kVectorBytes);
    sum += (items[0] + items[1]) + (items[2] + items[3]);
  }
  if (thread < num_items % kItemsPerVector) sum += d_in[kItemsPerVector * num_vectors + thread];

  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = warp_sums[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) atomicAdd(d_out, sum);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  const int most_blocks = max_resident_blocks(copying_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, 16 * kThreadsPerBlock), 1, most_blocks);
  copying_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
