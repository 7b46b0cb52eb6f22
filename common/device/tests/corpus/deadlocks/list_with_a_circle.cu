// SPDX-License-Identifier: MIT
// deadlock: the list's last item points to its first.
// at: for (int i = 0; i >= 0; i = next[i])
#include <cstdio>

__global__ void length(const int* next, int* out) {
  int count = 0;
  for (int i = 0; i >= 0; i = next[i]) ++count;
  *out = count;
}

int main() {
  int h_next[4] = {1, 2, 3, 0};
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  int* d_next;
  cudaMalloc(&d_next, 4 * sizeof(int));
  cudaMemcpy(d_next, h_next, sizeof h_next, cudaMemcpyHostToDevice);
  length<<<1, 1>>>(d_next, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 4 ? "PASS" : "FAIL");
  cudaFree(d_next);
  cudaFree(d_out);
}
