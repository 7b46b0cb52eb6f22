// SPDX-License-Identifier: MIT
// Runs a litmus test of two threads many times, and prints how often each outcome occurred.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <map>
#include <utility>
#include <vector>

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

constexpr int kApart = 32;  // words between two runs' variables: no two share a cache line
constexpr int kRunsPerBlock =
    128;  // a block holds thread 0 of so many runs, the next block thread 1
constexpr int kRunsPerLaunch = 1 << 17;

struct Run {
  int index;
  int thread;  // 0 or 1
};

__device__ inline Run this_run() {
  return {static_cast<int>(blockIdx.x / 2 * blockDim.x + threadIdx.x),
          static_cast<int>(blockIdx.x % 2)};
}

// x and y (num_runs * kApart) are 0 at the start. Thread i of a run writes results[2 * run + i].
using Test = void (*)(int* x, int* y, int* results, int num_runs);

inline void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// The program's argument is the number of runs. The emulator makes one run per order: see --seed.
inline int count_outcomes(Test test, int argc, char** argv) {
  const long num_runs = argc > 1 ? std::atol(argv[1]) : 1;
  const int per_launch = static_cast<int>(std::min<long>(num_runs, kRunsPerLaunch));
  const std::size_t size_bytes = sizeof(int) * kApart * per_launch;
  int* d_x;
  int* d_y;
  int* d_results;
  require(cudaMalloc(&d_x, size_bytes));
  require(cudaMalloc(&d_y, size_bytes));
  require(cudaMalloc(&d_results, 2 * sizeof(int) * per_launch));
  std::vector<int> h_results(2 * per_launch);
  std::map<std::pair<int, int>, long> counts;
  for (long done = 0; done < num_runs; done += per_launch) {
    const int runs = static_cast<int>(std::min<long>(per_launch, num_runs - done));
    require(cudaMemset(d_x, 0, size_bytes));
    require(cudaMemset(d_y, 0, size_bytes));
    const int threads = std::min(runs, kRunsPerBlock);
    test<<<2 * ((runs + threads - 1) / threads), threads>>>(d_x, d_y, d_results, runs);
    require(cudaGetLastError());
    require(
        cudaMemcpy(h_results.data(), d_results, 2 * sizeof(int) * runs, cudaMemcpyDeviceToHost));
    for (int run = 0; run < runs; ++run) ++counts[{h_results[2 * run], h_results[2 * run + 1]}];
  }
  for (const auto& [outcome, count] : counts) {
    std::printf("outcome %d %d: %ld\n", outcome.first, outcome.second, count);
  }
  require(cudaFree(d_x));
  require(cudaFree(d_y));
  require(cudaFree(d_results));
  return 0;
}
