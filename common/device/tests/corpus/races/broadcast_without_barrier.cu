// SPDX-License-Identifier: MIT
// race: thread 0 stores the block's number, and the others read it at once.
// at: if (threadIdx.x == 0) ticket = atomicAdd(&next_ticket, 1);
// at: out[64 * ticket + threadIdx.x] = ticket;
#include <cstdio>

__device__ int next_ticket;

__global__ void draw(int* out) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&next_ticket, 1);
  __syncwarp();
  out[64 * ticket + threadIdx.x] = ticket;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  cudaMemset(d_out, 0, 256 * sizeof(int));
  draw<<<4, 64>>>(d_out);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[255] == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
