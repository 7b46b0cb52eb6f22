// SPDX-License-Identifier: MIT
// right: the thread waits until the copy has written its target.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Adds the last item to the first, after a bulk copy has written both.
__global__ void copy_and_add(int* data) {
  __shared__ alignas(16) int tile[128];
  tile[threadIdx.x] = 2 * data[threadIdx.x];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    data[0] += data[127];
  }
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  copy_and_add<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 254 ? "PASS" : "FAIL");
  cudaFree(d);
}
