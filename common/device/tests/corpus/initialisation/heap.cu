// SPDX-License-Identifier: MIT
// uninitialized_read: memory from malloc in a kernel has no values yet.
// at: mine[i] += i;
#include <cstdio>

__global__ void fill(int* out) {
  int* mine = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) mine[i] += i;
  out[threadIdx.x] = mine[3];
  free(mine);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  fill<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
