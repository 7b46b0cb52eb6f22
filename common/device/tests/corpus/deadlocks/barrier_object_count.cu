// SPDX-License-Identifier: MIT
// deadlock: the barrier expects one arrival more than there are threads.
// at: barrier.arrive_and_wait();
#include <cstdio>
#include <cuda/barrier>

__global__ void wait(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();
  out[threadIdx.x] = threadIdx.x;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  cudaMemset(d_out, 0, 64 * sizeof(int));
  wait<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
