// SPDX-License-Identifier: MIT
// out_of_bounds: the row's length is the width, not the height.
// at: out[x * width + y] = in[y * width + x];
#include <cstdio>

__global__ void transpose(const int* in, int* out, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height) out[x * width + y] = in[y * width + x];
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  transpose<<<1, dim3(16, 8)>>>(d_in, d_out, 16, 8);
  int h_out[128] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 16 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
