// SPDX-License-Identifier: MIT
// race: the consumers release the stage, and read it then.
// at: sum += stage[lane];
// at: cuda::memcpy_async(&stage[lane], &data[32 * i + lane], sizeof(int), pipeline);
#include <cooperative_groups.h>

#include <cstdio>
#include <cuda/pipeline>

// Warp 0 copies four rows through two stages, and warp 1 adds them.
__global__ void sums(int* data) {
  __shared__ int stages[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const int lane = threadIdx.x % 32;
  const bool produces = threadIdx.x < 32;
  auto pipeline =
      cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                          produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    int* const stage = stages[i % 2];
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&stage[lane], &data[32 * i + lane], sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      pipeline.consumer_release();
      sum += stage[lane];
    }
  }
  if (!produces) data[lane] = sum;
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[1] == 4 * 1 + 32 * 6 ? "PASS" : "FAIL");
  cudaFree(d);
}
