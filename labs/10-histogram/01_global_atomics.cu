// SPDX-License-Identifier: MIT
// One thread per sample, one atomicAdd per sample, in global memory. Right first, fast later.
#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void global_atomics_kernel(const float* d_samples, int num_samples, EvenBins bins,
                                      unsigned int* d_counts) {
  // TODO 1. Which sample is this thread's? Which threads have none?
  // TODO 2. What is the sample's bin, and what if it has none?
  // TODO 3. Two threads have the same bin. Why is ++d_counts[bin] wrong, and what is right?
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_global_atomics: write the kernel and what comes before it, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  // TODO 4. d_counts holds garbage. What sets it to 0, on `stream`?
  // TODO 5. And without samples? What must still happen, and what must not?
  const int num_blocks = ceil_div(num_samples, kThreadsPerBlock);
  global_atomics_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                     d_counts);
  check_launch();
}

}  // namespace lab
