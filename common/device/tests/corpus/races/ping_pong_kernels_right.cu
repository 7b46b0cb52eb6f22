// SPDX-License-Identifier: MIT
// right: a stencil between two buffers, one launch per step; launches of a stream follow one
// another.
#include <cstdio>

__global__ void smooth(const int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = i == 0 || i == 127 ? from[i] : (from[i - 1] + from[i + 1]) / 2;
}

int main() {
  int h_from[128];
  for (int i = 0; i < 128; ++i) h_from[i] = i;
  int* d_from;
  cudaMalloc(&d_from, 128 * sizeof(int));
  cudaMemcpy(d_from, h_from, sizeof h_from, cudaMemcpyHostToDevice);
  int* d_to;
  cudaMalloc(&d_to, 128 * sizeof(int));
  for (int step = 0; step < 4; ++step) {
    smooth<<<2, 64>>>(d_from, d_to);
    int* swapped = d_from;
    d_from = d_to;
    d_to = swapped;
  }
  cudaMemcpy(h_from, d_from, sizeof h_from, cudaMemcpyDeviceToHost);
  std::puts(h_from[100] == 100 ? "PASS" : "FAIL");
  cudaFree(d_from);
  cudaFree(d_to);
}
