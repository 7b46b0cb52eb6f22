// SPDX-License-Identifier: MIT
// host_pointer: the rows are on the device, and the list of rows is on the host.
// at: rows[blockIdx.x][threadIdx.x] = 1;
#include <cstdio>

__global__ void fill(int** rows) { rows[blockIdx.x][threadIdx.x] = 1; }

int main() {
  int* rows[4];
  for (int*& row : rows) cudaMalloc(&row, 32 * sizeof(int));
  fill<<<4, 32>>>(rows);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  for (int* row : rows) cudaFree(row);
}
