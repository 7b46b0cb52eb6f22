// SPDX-License-Identifier: MIT
// A kernel may ask for clusters itself.
#include <cooperative_groups.h>
#include <cstdio>
#define WIDTH 2
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(WIDTH) swap(int* out) {
  __shared__ int own;
  const auto cluster = cg::this_cluster();
  own = blockIdx.x;
  cluster.sync();
  out[blockIdx.x] = *cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
  cluster.sync();
}
int main() {
  int *d, h[4];
  cudaMalloc(&d, sizeof h);
  swap<<<4, 1>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  swap<<<3, 1>>>(d);
  std::printf("%d %d %d %d %d\n", h[0], h[1], h[2], h[3], cudaGetLastError() != cudaSuccess);
  cudaFree(d);
}
