// SPDX-License-Identifier: MIT
// barrier_divergence: `continue` jumps over the barrier.
// at: __syncthreads();  // behind the continue
#include <cstdio>

__global__ void rounds(const int* in, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (in[64 * i + t] % 2 == 0) continue;
    tile[t] = in[64 * i + t];
    __syncthreads();  // behind the continue
    sum += tile[t];
  }
  out[t] = sum;
}

int main() {
  int h_in[256];
  for (int i = 0; i < 256; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 256 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  rounds<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 1 + 65 + 129 + 193 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
