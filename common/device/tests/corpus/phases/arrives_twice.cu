// SPDX-License-Identifier: MIT
// race: each thread of warp 0 arrives twice, so that the phase ends without warp 1.
// or: uninitialized_read
// or: deadlock
// at: data[threadIdx.x] = words[threadIdx.x];
// at: words[threadIdx.x - 32] = data[threadIdx.x];
// at: barrier.arrive_and_wait();
#include <cstdio>
#include <cuda/barrier>

__global__ void pass(int* data) {
  __shared__ int words[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    auto token = barrier.arrive();
    barrier.wait(barrier.arrive());
    data[threadIdx.x] = words[threadIdx.x];
  } else {
    words[threadIdx.x - 32] = data[threadIdx.x];
    barrier.arrive_and_wait();
  }
}

int main() {
  int h[64];
  for (int i = 0; i < 64; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  pass<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 32 ? "PASS" : "FAIL");
  cudaFree(d);
}
