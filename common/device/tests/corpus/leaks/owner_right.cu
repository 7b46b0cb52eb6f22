// SPDX-License-Identifier: MIT
// right: an owner frees on every way out; a kernel passes its heap memory on to the next kernel,
// which frees it.
#include <cstdio>
#include <memory>

struct Free {
  void operator()(int* items) const { cudaFree(items); }
};

__device__ int* list;

__global__ void make(int n) { list = new int[n]; }
__global__ void fill() { list[threadIdx.x] = threadIdx.x; }
__global__ void take(int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += list[i];
  *out = sum;
  delete[] list;
}

int main() {
  int *memory, h_out = 0;
  cudaMalloc(&memory, sizeof(int));
  const std::unique_ptr<int, Free> d_out(memory);
  make<<<1, 1>>>(64);
  fill<<<1, 64>>>();
  take<<<1, 1>>>(d_out.get(), 64);
  cudaMemcpy(&h_out, d_out.get(), sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 2016 ? "PASS" : "FAIL");
}
