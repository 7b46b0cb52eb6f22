// SPDX-License-Identifier: MIT
// race: rows are written by one warp and read by others, without a barrier.
// at: out[x * 32 + y] = tile[y][x];
// at: tile[x][y] = in[y * 32 + x];
#include <cstdio>

__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[x][y] = in[y * 32 + x];
  out[x * 32 + y] = tile[y][x];
}

int main() {
  int h_in[1024];
  for (int i = 0; i < 1024; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 1024 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 1024 * sizeof(int));
  transpose<<<1, dim3(32, 32)>>>(d_in, d_out);
  int h_out[1024] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 1 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
