// SPDX-License-Identifier: MIT
// right: a floating-point maximum by atomicCAS, whose first value is read plainly... by an atomic.
#include <cstdio>

__device__ void atomic_maximum(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = atomicAdd(bits, 0);
  while (__int_as_float(old) < value) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}

__global__ void find(const float* items, float* maximum) {
  atomic_maximum(maximum, items[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
  float h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  float* d_items;
  cudaMalloc(&d_items, 256 * sizeof(float));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  float* d_maximum;
  cudaMalloc(&d_maximum, sizeof(float));
  cudaMemset(d_maximum, 0, sizeof(float));
  find<<<4, 64>>>(d_items, d_maximum);
  float h_maximum = {};
  cudaMemcpy(&h_maximum, d_maximum, sizeof h_maximum, cudaMemcpyDeviceToHost);
  std::puts(h_maximum == 255 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_maximum);
}
