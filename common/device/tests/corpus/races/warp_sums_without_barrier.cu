// SPDX-License-Identifier: MIT
// race: the first warp adds the warps' sums before they are all there.
// at: if (lane == 0) sums[warp] = sum;
// at: sum = lane < 4 ? sums[lane] : 0;
#include <cstdio>

__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) sums[warp] = sum;
  if (warp != 0) return;
  sum = lane < 4 ? sums[lane] : 0;
  for (int distance = 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) out[0] = sum;
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  block_sum<<<1, 128>>>(d_in, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 8128 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
