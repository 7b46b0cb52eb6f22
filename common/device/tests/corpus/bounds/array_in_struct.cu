// SPDX-License-Identifier: MIT
// out_of_bounds: an index past the array runs into the struct's next member.
// at: cells[threadIdx.x].values[level] = 1;
#include <cstdio>

struct Cell {
  int values[3];
  int count;
};

__global__ void mark(Cell* cells, int level) { cells[threadIdx.x].values[level] = 1; }

int main() {
  Cell* d_cells;
  cudaMalloc(&d_cells, 32 * sizeof(Cell));
  cudaMemset(d_cells, 0, 32 * sizeof(Cell));
  mark<<<1, 32>>>(d_cells, 3);
  Cell h_cells[32] = {};
  cudaMemcpy(h_cells, d_cells, sizeof h_cells, cudaMemcpyDeviceToHost);
  std::puts(h_cells[5].count == 0 ? "PASS" : "FAIL");
  cudaFree(d_cells);
}
