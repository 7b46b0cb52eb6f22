// SPDX-License-Identifier: MIT
// Blocks that poll with a barrier in each round. The first ones wait for the last.
#include "check.h"

constexpr int kNumBlocks = 4;

__global__ void pass_down(int* level) {
  const int block = static_cast<int>(blockIdx.x);
  bool is_done = false;
  while (!is_done) {
    const int own = threadIdx.x == 0 ? atomicAdd(&level[block], 0) : 0;
    if (own > 0 && block > 0) atomicExch(&level[block - 1], own + 1);
    is_done = __syncthreads_or(own) != 0;
  }
}

int main() {
  int* d_level = nullptr;
  int level[kNumBlocks] = {0, 0, 0, 1};
  CHECK_CUDA(cudaMalloc(&d_level, sizeof level));
  CHECK_CUDA(cudaMemcpy(d_level, level, sizeof level, cudaMemcpyHostToDevice));
  pass_down<<<kNumBlocks, 64>>>(d_level);
  CHECK_CUDA(cudaMemcpy(level, d_level, sizeof level, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kNumBlocks; ++block) EXPECT(level[block] == kNumBlocks - block);
  CHECK_CUDA(cudaFree(d_level));
}
