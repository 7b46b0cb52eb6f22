// SPDX-License-Identifier: MIT
// race: two members of a bit-field share a word; storing one rewrites the other.
// at: if (threadIdx.x == 0) flags.first = 1;
// at: if (threadIdx.x == 32) flags.second = 2;
#include <cstdio>

struct Flags {
  unsigned first : 4;
  unsigned second : 4;
};

__global__ void set(unsigned* out) {
  __shared__ Flags flags;
  if (threadIdx.x == 0) flags = {0, 0};
  __syncthreads();
  if (threadIdx.x == 0) flags.first = 1;
  if (threadIdx.x == 32) flags.second = 2;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = flags.first + flags.second;
}

int main() {
  unsigned* d_out;
  cudaMalloc(&d_out, sizeof(unsigned));
  set<<<1, 64>>>(d_out);
  unsigned h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
