// SPDX-License-Identifier: MIT
// host_pointer: the kernel gets the address of a static variable of the host.
// at: atomicAdd(counter, 1);
#include <cstdio>

static int counter_of_host;

__global__ void count(int* counter) { atomicAdd(counter, 1); }

int main() {
  count<<<1, 64>>>(&counter_of_host);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess && counter_of_host == 64 ? "PASS" : "FAIL");
}
