// SPDX-License-Identifier: MIT
// misaligned: the second row of 7 floats does not begin at a multiple of 8 bytes.
// at: sums[y] = row[0].x + row[0].y;
#include <cstdio>

__global__ void sum_rows(const float* in, float* sums) {
  const int y = threadIdx.x;
  const float2* row = reinterpret_cast<const float2*>(in + 7 * y);
  sums[y] = row[0].x + row[0].y;
}

int main() {
  float h_in[70];
  for (int i = 0; i < 70; ++i) h_in[i] = i;
  float* d_in;
  cudaMalloc(&d_in, 70 * sizeof(float));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  float* d_sums;
  cudaMalloc(&d_sums, 8 * sizeof(float));
  sum_rows<<<1, 8>>>(d_in, d_sums);
  float h_sums[8] = {};
  cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
  std::puts(h_sums[1] == 15 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_sums);
}
