// SPDX-License-Identifier: MIT
// The standard library read after CUDA's keywords: its headers use some of them as names of
// attributes.
#include <cuda_runtime.h>

#include <version>
#ifdef __cpp_lib_format
#include <format>
#endif
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

[[gnu::noinline]] int one() { return 1; }
__attribute__((__noinline__, __cold__)) int two() { return 2; }
__device__ __noinline__ int three() { return 3; }

__global__ void write(int* d_out) { *d_out = three(); }

int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof(int));
  write<<<1, 1>>>(d_out);
  int h_out = 0;
  cudaMemcpy(&h_out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_out);
  const auto sum = std::make_shared<int>(one() + two() + h_out);
  std::cout << std::string(*sum == 6 ? "PASSED" : "FAILED") << '\n';
  return *sum == 6 ? 0 : 1;
}
