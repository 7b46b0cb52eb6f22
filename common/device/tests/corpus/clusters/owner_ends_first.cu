// SPDX-License-Identifier: MIT
// race: a block may end, and its shared memory with it, before the other block has read it.
// at: *item = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
// or: out_of_bounds
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

// Each block writes a tile, and reads that of the other block of its cluster.
__global__ void __cluster_dims__(2) swap_tiles(int* data) {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  int* const item = data + 64 * blockIdx.x + threadIdx.x;
  tile[threadIdx.x] = *item;
  cluster.sync();
  *item = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  swap_tiles<<<2, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 64 && h[127] == 63 ? "PASS" : "FAIL");
  cudaFree(d);
}
