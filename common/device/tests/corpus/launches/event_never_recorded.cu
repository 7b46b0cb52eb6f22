// SPDX-License-Identifier: MIT
// launch_error: the time between two events, but the second was never recorded.
// at: cudaEventElapsedTime(&milliseconds, begin, end);
#include <cstdio>

__global__ void wait() {}

int main() {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  wait<<<1, 1>>>();
  cudaEventSynchronize(end);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  std::puts(milliseconds >= 0 ? "PASS" : "FAIL");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}
