// SPDX-License-Identifier: MIT
// right: cuda::atomic_ref makes atomics of an ordinary allocation.
#include <cstdio>
#include <cuda/atomic>

__global__ void count(int* counters) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(counters[threadIdx.x % 4]);
  counter.fetch_add(1, cuda::memory_order_relaxed);
}

int main() {
  int* d_counters;
  cudaMalloc(&d_counters, 4 * sizeof(int));
  cudaMemset(d_counters, 0, 4 * sizeof(int));
  count<<<4, 64>>>(d_counters);
  int h_counters[4] = {};
  cudaMemcpy(h_counters, d_counters, sizeof h_counters, cudaMemcpyDeviceToHost);
  std::puts(h_counters[3] == 64 ? "PASS" : "FAIL");
  cudaFree(d_counters);
}
