// SPDX-License-Identifier: MIT
// right: a tiled matrix product, with both barriers.
#include <cstdio>

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[8][8], tile_b[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  float sum = 0;
  for (int step = 0; step < n; step += 8) {
    tile_a[y][x] = a[row * n + step + x];
    tile_b[y][x] = b[(step + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  float h_a[256];
  for (int i = 0; i < 256; ++i) h_a[i] = i;
  float* d_a;
  cudaMalloc(&d_a, 256 * sizeof(float));
  cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
  float h_b[256];
  for (int i = 0; i < 256; ++i) h_b[i] = i;
  float* d_b;
  cudaMalloc(&d_b, 256 * sizeof(float));
  cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice);
  float* d_c;
  cudaMalloc(&d_c, 256 * sizeof(float));
  multiply<<<dim3(2, 2), dim3(8, 8)>>>(d_a, d_b, d_c, 16);
  float h_c[256] = {};
  cudaMemcpy(h_c, d_c, sizeof h_c, cudaMemcpyDeviceToHost);
  std::puts(h_c[0] == 19840 ? "PASS" : "FAIL");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
