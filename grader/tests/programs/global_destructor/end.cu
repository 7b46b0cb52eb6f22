// SPDX-License-Identifier: MIT
// A destructor of a global object may use the device.
#include <cstdio>
__global__ void add(int* d) { *d += 1; }
struct Counter {
  int* d;
  Counter() { cudaMalloc(&d, 4); cudaMemset(d, 0, 4); }
  ~Counter() {
    add<<<1, 1>>>(d);
    int h = 0;
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h);
    cudaFree(d);
  }
} counter;
int main() { add<<<1, 1>>>(counter.d); }
