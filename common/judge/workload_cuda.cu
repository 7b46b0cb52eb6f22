// SPDX-License-Identifier: MIT
// Data made where it is needed: inputs of gigabytes would take seconds to copy.
#include <cuda_runtime.h>

#include "lab/cuda_error.cuh"
#include "workload.h"

namespace judge {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocks = 2048;

// Sums are kept in integers: exact, so the order of the atomics does not matter.
__global__ void fill_integers_kernel(float* d_items, std::size_t count, std::uint64_t seed,
                                     int limit, unsigned long long* d_sum) {
  long long sum = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float value = random_integer(seed, i, limit);
    d_items[i] = value;
    sum += static_cast<long long>(value);
  }
  // Two's complement: adding the negative as unsigned wraps to the right total.
  atomicAdd(d_sum, static_cast<unsigned long long>(sum));
}

}  // namespace

double fill_integers_and_sum(float* d_items, std::size_t count, std::uint64_t seed, int limit) {
  static unsigned long long* d_sum = nullptr;
  if (d_sum == nullptr) lab::check(cudaMalloc(&d_sum, sizeof *d_sum));
  lab::check(cudaMemset(d_sum, 0, sizeof *d_sum));
  fill_integers_kernel<<<kBlocks, kThreadsPerBlock>>>(d_items, count, seed, limit, d_sum);
  lab::check_launch();
  long long sum = 0;
  lab::check(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  return static_cast<double>(sum);
}

}  // namespace judge
