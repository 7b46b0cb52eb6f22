// SPDX-License-Identifier: MIT
// race: a helper's shared scratch is written again while slow warps still read the first result.
// at: if (threadIdx.x == 0) scratch = value;
// at: return scratch;
#include <cstdio>

__device__ int broadcast(int value) {
  __shared__ int scratch;
  if (threadIdx.x == 0) scratch = value;
  __syncthreads();
  return scratch;
}

__global__ void add(int* out) {
  const int first = broadcast(1);
  const int second = broadcast(2);
  out[threadIdx.x] = first + second;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  add<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
