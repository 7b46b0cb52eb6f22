// SPDX-License-Identifier: MIT
// Each block counts in a histogram of its own, in shared memory, and adds it to the result once.
// New: shared atomics; a grid of the device's size, so that a block has many samples per bin that
// it merges. Limit: lanes that share a bank or a bin take turns, and loads have 4 bytes.
#include <algorithm>
#include <cstdint>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    privatized_kernel(const float* d_samples, int num_samples, EvenBins bins,
                      unsigned int* d_counts) {
  __shared__ unsigned int counts[kMaxBins];  // (bins.num_bins), the block's own
  const int t = threadIdx.x;
  for (int bin = t; bin < bins.num_bins; bin += kThreadsPerBlock) counts[bin] = 0;
  __syncthreads();  // no thread counts before all bins are 0

  // 64 bits, as i + num_threads may pass 2^31.
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * kThreadsPerBlock;
#pragma unroll 4
  for (std::int64_t i = blockIdx.x * kThreadsPerBlock + t; i < num_samples; i += num_threads) {
    const int bin = bins.bin_of(d_samples[i]);
    if (bin >= 0) atomicAdd(&counts[bin], 1u);
  }
  __syncthreads();  // all samples of the block are counted

  for (int bin = t; bin < bins.num_bins; bin += kThreadsPerBlock) {
    if (counts[bin] > 0) atomicAdd(&d_counts[bin], counts[bin]);  // other blocks add theirs
  }
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int most_blocks = max_resident_blocks(privatized_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_samples, kThreadsPerBlock), 1, most_blocks);
  privatized_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                 d_counts);
  check_launch();
}

}  // namespace lab
