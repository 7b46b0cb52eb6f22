// SPDX-License-Identifier: MIT
// compile_error: streams of the host do not exist on a device; printf does.
// at: std::cout << threadIdx.x;
#include <cstdio>
#include <iostream>

__global__ void hello() { std::cout << threadIdx.x; }

int main() {
  hello<<<1, 1>>>();
  cudaDeviceSynchronize();
  std::puts("PASS");
}
