// SPDX-License-Identifier: MIT
// crash: a kernel frees the same memory twice.
// at: free(mine);  // again
#include <cstdio>

__global__ void fill(int* out) {
  int* mine = static_cast<int*>(malloc(16));
  mine[0] = 7;
  out[threadIdx.x] = mine[0];
  free(mine);
  free(mine);  // again
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  fill<<<1, 1>>>(d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 7 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
