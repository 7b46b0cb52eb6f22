// SPDX-License-Identifier: MIT
// barrier_divergence: the mask names the lower half warp, and all 32 lanes call.
// at: out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, static_cast<int>(threadIdx.x), 1);
#include <cstdio>

__global__ void exchange(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, static_cast<int>(threadIdx.x), 1);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  exchange<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
