// SPDX-License-Identifier: MIT
// right: cuda::barrier, whose arrival and wait are apart.
#include <cstdio>
#include <cuda/barrier>

__global__ void reverse(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  tile[t] = t;
  auto token = barrier.arrive();
  const int mine = 2 * t;
  barrier.wait(std::move(token));
  out[t] = tile[63 - t] + mine;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
