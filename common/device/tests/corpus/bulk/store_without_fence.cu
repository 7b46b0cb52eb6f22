// SPDX-License-Identifier: MIT
// race: a bulk copy need not see what threads have written, without the fence between them.
// at: ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, item, tile, sizeof tile);
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Writes twice its input back, a tile after the other through the same shared memory.
__global__ void double_tiles(int* data) {
  __shared__ alignas(16) int tile[128];
  for (int i = 0; i < 4; ++i) {
    int* const item = data + 128 * i;
    tile[threadIdx.x] = 2 * item[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, item, tile, sizeof tile);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

int main() {
  int h[512];
  for (int i = 0; i < 512; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  double_tiles<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[1] == 2 && h[511] == 1022 ? "PASS" : "FAIL");
  cudaFree(d);
}
