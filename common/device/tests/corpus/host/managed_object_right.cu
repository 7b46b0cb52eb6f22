// SPDX-License-Identifier: MIT
// right: an object in managed memory, whose managed array both sides use.
#include <cstdio>

struct Counts {
  int* items;
  int total;
};

__global__ void count(Counts* counts) {
  atomicAdd(&counts->items[threadIdx.x % 4], 1);
  atomicAdd(&counts->total, 1);
}

int main() {
  Counts* counts;
  cudaMallocManaged(&counts, sizeof(Counts));
  cudaMallocManaged(&counts->items, 4 * sizeof(int));
  counts->total = 0;
  for (int i = 0; i < 4; ++i) counts->items[i] = 0;
  count<<<2, 64>>>(counts);
  cudaDeviceSynchronize();
  std::puts(counts->total == 128 && counts->items[3] == 32 ? "PASS" : "FAIL");
  cudaFree(counts->items);
  cudaFree(counts);
}
