// SPDX-License-Identifier: MIT
// right: rows on the device, and the list of their addresses copied there, too.
#include <cstdio>

__global__ void fill(int** rows) { rows[blockIdx.x][threadIdx.x] = 32 * blockIdx.x + threadIdx.x; }

int main() {
  int *h_rows[4], h_last[32];
  for (int*& row : h_rows) cudaMalloc(&row, sizeof h_last);
  int** d_rows;
  cudaMalloc(&d_rows, sizeof h_rows);
  cudaMemcpy(d_rows, h_rows, sizeof h_rows, cudaMemcpyHostToDevice);
  fill<<<4, 32>>>(d_rows);
  cudaMemcpy(h_last, h_rows[3], sizeof h_last, cudaMemcpyDeviceToHost);
  std::puts(h_last[31] == 127 ? "PASS" : "FAIL");
  for (int* row : h_rows) cudaFree(row);
  cudaFree(d_rows);
}
