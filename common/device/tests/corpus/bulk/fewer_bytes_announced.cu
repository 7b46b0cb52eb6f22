// SPDX-License-Identifier: MIT
// race: half of the bytes are announced, so the phase may end before the copy does.
// or: deadlock
// at: data[threadIdx.x] = tile[127 - threadIdx.x];
// at: while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void reverse(int* data) {
  __shared__ alignas(16) int tile[128];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                   sizeof tile / 2);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof tile, &full);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
  }
  data[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  reverse<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 127 ? "PASS" : "FAIL");
  cudaFree(d);
}
