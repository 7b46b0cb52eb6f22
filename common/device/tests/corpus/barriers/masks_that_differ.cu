// SPDX-License-Identifier: MIT
// barrier_divergence: lanes call one ballot with different masks.
// at: out[lane] = __ballot_sync(lane % 2 == 0 ? 0xffffffffu : 0xaaaaaaaau, 1);
#include <cstdio>

__global__ void vote(unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __ballot_sync(lane % 2 == 0 ? 0xffffffffu : 0xaaaaaaaau, 1);
}

int main() {
  unsigned* d_out;
  cudaMalloc(&d_out, 32 * sizeof(unsigned));
  vote<<<1, 32>>>(d_out);
  unsigned h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 0xffffffffu ? "PASS" : "FAIL");
  cudaFree(d_out);
}
