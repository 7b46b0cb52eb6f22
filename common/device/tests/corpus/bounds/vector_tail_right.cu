// SPDX-License-Identifier: MIT
// right: whole float4s, and the rest one by one.
#include <cstdio>

__global__ void scale(float* items, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    float4 four = reinterpret_cast<float4*>(items)[i];
    four.x *= 2, four.y *= 2, four.z *= 2, four.w *= 2;
    reinterpret_cast<float4*>(items)[i] = four;
  } else {
    for (int k = 4 * i; k < n; ++k) items[k] *= 2;
  }
}

int main() {
  float h_items[127];
  for (int i = 0; i < 127; ++i) h_items[i] = i;
  float* d_items;
  cudaMalloc(&d_items, 127 * sizeof(float));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  scale<<<1, 32>>>(d_items, 127);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[126] == 252 && h_items[5] == 10 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
