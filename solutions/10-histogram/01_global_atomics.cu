// SPDX-License-Identifier: MIT
// One thread per sample, one atomicAdd per sample, in global memory: right for any input, and slow.
// Limit: every atomic goes to the L2 cache. Samples of one bin queue there at one address.
#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void global_atomics_kernel(const float* d_samples, int num_samples, EvenBins bins,
                                      unsigned int* d_counts) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_samples) return;
  const int bin = bins.bin_of(d_samples[i]);
  if (bin >= 0) atomicAdd(&d_counts[bin], 1u);
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  if (num_samples == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_samples, kThreadsPerBlock);
  global_atomics_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                     d_counts);
  check_launch();
}

}  // namespace lab
