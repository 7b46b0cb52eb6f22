// SPDX-License-Identifier: MIT
// Loops over items where they lie: a kernel on cuda, a plain loop on cpu, where device memory is
// the host's. With it the judge makes and checks data of gigabytes from one source for both
// backends: a file that includes it is listed as .cu, and CMake compiles it for either.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "host_device.h"
#include "lab/cuda_error.cuh"

#if defined(LOCKSTEP_CUDA) && !defined(__NVCC__)
#error "a loop over device memory needs nvcc: name the file .cu"
#endif

namespace judge {

#ifdef LOCKSTEP_CUDA

namespace detail {

constexpr int kLoopThreads = 256;
constexpr int kLoopBlocks = 2048;

template <class Term>
__global__ void sum_kernel(std::size_t count, Term term, unsigned long long* d_sum) {
  std::uint64_t sum = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum += term(i);
  }
  if (sum != 0) atomicAdd(d_sum, static_cast<unsigned long long>(sum));
}

}  // namespace detail

#endif

// Calls term(index) once for each index below `count`, in any order, and returns the sum of what it
// returns, modulo 2^64. `Term` is a struct of device pointers and numbers with a
// LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t) const. Waits for the result.
template <class Term>
std::uint64_t sum_over(std::size_t count, Term term) {
#ifdef LOCKSTEP_CUDA
  static unsigned long long* d_sum = nullptr;
  if (d_sum == nullptr) lab::check(cudaMalloc(&d_sum, sizeof *d_sum));
  lab::check(cudaMemset(d_sum, 0, sizeof *d_sum));
  detail::sum_kernel<<<detail::kLoopBlocks, detail::kLoopThreads>>>(count, term, d_sum);
  lab::check_launch();
  unsigned long long sum = 0;
  lab::check(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  return sum;
#else
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += term(i);
  return sum;
#endif
}

}  // namespace judge
