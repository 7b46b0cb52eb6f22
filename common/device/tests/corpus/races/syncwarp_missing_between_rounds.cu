// SPDX-License-Identifier: MIT
// race: a second __syncwarp() is missing between the reads and the next writes.
// at: items[lane] = sum;
// at: sum += items[lane ^ distance];
#include <cstdio>

__global__ void sum(int* out) {
  __shared__ int items[32];
  const int lane = threadIdx.x;
  int sum = lane;
  for (int distance = 16; distance > 0; distance /= 2) {
    items[lane] = sum;
    __syncwarp();
    sum += items[lane ^ distance];
  }
  out[lane] = sum;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  sum<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[7] == 496 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
