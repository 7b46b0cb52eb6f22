// SPDX-License-Identifier: MIT
// Copies to shared memory behind the threads' backs: the pipeline primitives, cg::memcpy_async,
// cuda::barrier, and cuda::pipeline with two stages.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void with_primitives(const float4* in, float4* out) {
  __shared__ float4 buffer[64];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void with_group(const int* in, int* out, int tiles) {
  extern __shared__ int shared[];
  auto block = cg::this_thread_block();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    cg::memcpy_async(block, shared, in + tile * block.size(), sizeof(int) * block.size());
    cg::wait(block);
    sum += shared[block.size() - 1 - block.thread_rank()];
    block.sync();
  }
  out[block.thread_rank()] = sum;
}

__global__ void with_barrier(const int* in, int* out, int tiles) {
  __shared__ int shared[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    cuda::memcpy_async(block, shared, in + tile * 64, cuda::aligned_size_t<16>(sizeof(shared)),
                       bar);
    bar.arrive_and_wait();
    sum += shared[63 - threadIdx.x];
    block_barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
  }
  out[threadIdx.x] = sum;
}

__global__ void with_pipeline(const int* in, int* out, int tiles) {
  constexpr int kStages = 2;
  __shared__ int shared[kStages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < tiles; ++compute) {
    for (; fetch < tiles && fetch < compute + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, shared[fetch % kStages], in + fetch * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += shared[compute % kStages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

int main() {
  const int tiles = 5, n = 64 * tiles;
  int *in, *out;
  CHECK_CUDA(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&out, 4 * 64 * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i * i % 100;
  with_primitives<<<1, 64>>>((const float4*)in, (float4*)out);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(out[4 * i + 1] == in[4 * (63 - i) + 1]);
  for (int version = 0; version < 3; ++version) {
    if (version == 0) with_group<<<1, 64, 64 * sizeof(int)>>>(in, out, tiles);
    if (version == 1) with_barrier<<<1, 64>>>(in, out, tiles);
    if (version == 2) with_pipeline<<<1, 64>>>(in, out, tiles);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) {
      int sum = 0;
      for (int tile = 0; tile < tiles; ++tile) sum += in[tile * 64 + 63 - i];
      EXPECT(out[i] == sum);
      out[i] = -1;
    }
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
