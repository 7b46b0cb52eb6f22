// SPDX-License-Identifier: MIT
// host_pointer: the struct was copied to the device; the array that it points to was not.
// at: array->items[threadIdx.x] = threadIdx.x;
#include <cstdio>
#include <vector>

struct Array {
  int* items;
  int length;
};

__global__ void iota(Array* array) { array->items[threadIdx.x] = threadIdx.x; }

int main() {
  std::vector<int> items(64);
  const Array h_array{items.data(), 64};
  Array* d_array;
  cudaMalloc(&d_array, sizeof(Array));
  cudaMemcpy(d_array, &h_array, sizeof h_array, cudaMemcpyHostToDevice);
  iota<<<1, 64>>>(d_array);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess && items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_array);
}
