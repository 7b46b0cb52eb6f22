// SPDX-License-Identifier: MIT
// race: a group of 16 waits, and its threads read the other group's items.
// at: out[t] = items[31 - t];
// at: items[t] = t;
#include <cooperative_groups.h>

#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int items[32];
  const int t = threadIdx.x;
  auto half = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  items[t] = t;
  half.sync();
  out[t] = items[31 - t];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  reverse<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 31 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
