// SPDX-License-Identifier: MIT
// A single-pass scan: each block spins on its predecessors' flags, published behind a fence.
#include <vector>

#include "check.h"

enum { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

struct Tile {
  int flag, aggregate, prefix;
};

__device__ unsigned next_tile;

__global__ void scan_single_pass(const int* in, int* out, volatile Tile* tiles, int n) {
  __shared__ int values[64];
  __shared__ unsigned s_tile;
  __shared__ int s_exclusive;
  if (threadIdx.x == 0) s_tile = atomicAdd(&next_tile, 1u);
  __syncthreads();
  const unsigned tile = s_tile;
  const int i = tile * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    const int other = threadIdx.x >= d ? values[threadIdx.x - d] : 0;
    __syncthreads();
    values[threadIdx.x] += other;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const int aggregate = values[blockDim.x - 1];
    tiles[tile].aggregate = aggregate;
    __threadfence();
    tiles[tile].flag = kAggregate;
    int exclusive = 0;
    for (int look = (int)tile - 1; look >= 0;) {
      const int flag = tiles[look].flag;
      if (flag == kInvalid) continue;
      __threadfence();
      exclusive += flag == kPrefix ? tiles[look].prefix : tiles[look].aggregate;
      if (flag == kPrefix) break;
      --look;
    }
    tiles[tile].prefix = exclusive + aggregate;
    __threadfence();
    tiles[tile].flag = kPrefix;
    s_exclusive = exclusive;
  }
  __syncthreads();
  if (i < n) out[i] = s_exclusive + values[threadIdx.x];
}

int main() {
  const int n = 1500, block = 64, num_tiles = (n + block - 1) / block;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i % 9 - 3;
  int *d_in, *d_out;
  Tile* tiles;
  CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&tiles, num_tiles * sizeof(Tile)));
  CHECK_CUDA(cudaMemset(tiles, 0, num_tiles * sizeof(Tile)));
  CHECK_CUDA(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan_single_pass<<<num_tiles, block>>>(d_in, d_out, tiles, n);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  int sum = 0;
  for (int i = 0; i < n; ++i) EXPECT(out[i] == (sum += in[i]));
  cudaFree(d_in), cudaFree(d_out), cudaFree(tiles);
  return 0;
}
