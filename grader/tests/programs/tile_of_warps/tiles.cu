#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void tiles(int* out) {
  __shared__ int room[192];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int rank = threadIdx.x;
  room[rank] = rank;
  SYNC
  const int across = room[rank ^ 32];
  const int sum = cg::reduce(tile, rank, cg::plus<int>());
  out[rank] = sum * 1000 + tile.shfl(across, 1) + tile.any(rank == 64) * 500;
}
int main() {
  int *d, h[192];
  cudaMalloc(&d, sizeof h);
  tiles<<<1, 192>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", h[0], h[127], h[128]);
  cudaFree(d);
}
