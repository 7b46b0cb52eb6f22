// SPDX-License-Identifier: MIT
// How long does a kernel take? Two events around many launches, and a division.
// New: the device keeps the time. Limit: repeats over the same small array find it in the L2 cache.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// One thread of each launch counts it: launches of one stream run one after the other.
__global__ void halve_kernel(float* d_items, int num_items, int* d_num_runs) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item == 0) d_num_runs[0] += 1;
  if (item < num_items) d_items[item] = 0.5f * item;
}

void launch(float* d_items, int num_items, int* d_num_runs) {
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  halve_kernel<<<num_blocks, kThreadsPerBlock>>>(d_items, num_items, d_num_runs);
  check_launch();
}

}  // namespace

float time_launch(float* d_items, int num_items, int num_launches, int* d_num_runs) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));

  launch(d_items, num_items, d_num_runs);  // warms up: the first launch loads the kernel's code
  check(cudaEventRecord(start));
  for (int i = 0; i < num_launches; ++i) launch(d_items, num_items, d_num_runs);
  check(cudaEventRecord(stop));
  check(cudaEventSynchronize(stop));  // until the device has come to this event
  float elapsed_ms = 0;
  check(cudaEventElapsedTime(&elapsed_ms, start, stop));

  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return elapsed_ms / num_launches;
}

}  // namespace lab
