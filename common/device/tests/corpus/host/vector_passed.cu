// SPDX-License-Identifier: MIT
// host_pointer: std::vector's items are memory of the host.
// at: items[threadIdx.x] *= 2;
#include <cstdio>
#include <vector>

__global__ void twice(int* items) { items[threadIdx.x] *= 2; }

int main() {
  std::vector<int> items(64, 21);
  twice<<<1, 64>>>(items.data());
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess && items[63] == 42 ? "PASS" : "FAIL");
}
