// SPDX-License-Identifier: MIT
// race: between its arrival and its wait, a block may read before the other one has written.
// or: uninitialized_read
// at: const int theirs = other[threadIdx.x];
// at: tile[threadIdx.x] = *item;
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

// Each block adds to its items those of the other block of its cluster.
__global__ void __cluster_dims__(2) add_other(int* data) {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  int* const item = data + 64 * blockIdx.x + threadIdx.x;
  tile[threadIdx.x] = *item;
  const int* const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  auto token = cluster.barrier_arrive();
  const int theirs = other[threadIdx.x];
  cluster.barrier_wait(std::move(token));
  cluster.sync();
  *item += theirs;
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  add_other<<<2, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 64 && h[127] == 190 ? "PASS" : "FAIL");
  cudaFree(d);
}
