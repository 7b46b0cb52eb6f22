// SPDX-License-Identifier: MIT
// right: groups of 8 exchange shared items among themselves.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reverse_groups(int* out) {
  __shared__ int items[64];
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = threadIdx.x, rank = group.thread_rank();
  items[t] = t;
  group.sync();
  const int sum = items[t - rank + 7 - rank] + group.shfl_xor(t, 1);
  out[t] = sum;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse_groups<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 8 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
