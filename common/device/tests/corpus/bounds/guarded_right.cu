// SPDX-License-Identifier: MIT
// right: a grid-stride loop, a guard for both coordinates, and a halo that stops at the edges.
#include <cstdio>

__global__ void blur(const int* in, int* out, int width, int height) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height;
       i += gridDim.x * blockDim.x) {
    const int x = i % width, y = i / width;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
          sum += in[(y + dy) * width + x + dx];
    out[i] = sum;
  }
}

int main() {
  int h_in[391];
  for (int i = 0; i < 391; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 391 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 391 * sizeof(int));
  blur<<<3, 64>>>(d_in, d_out, 17, 23);
  int h_out[391] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 0 + 1 + 17 + 18 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
