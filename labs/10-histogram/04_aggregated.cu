// SPDX-License-Identifier: MIT
// Lanes whose samples have the same bin find each other, and one of them adds for all. That needs
// no copies, so it works for many bins.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Counts the samples of a warp into counts (bins.num_bins). All 32 lanes must call; a lane without
// a sample passes NaN.
__device__ void count(float sample, EvenBins bins, unsigned int* counts) {
  // TODO 1. Which lanes have the same bin as this one? One instruction gives a mask of them.
  // TODO 2. Which of these lanes adds, and how many?
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    aggregated_kernel(const float* d_samples, int num_samples, EvenBins bins,
                      unsigned int* d_counts) {
  __shared__ unsigned int counts[kMaxBins];  // (bins.num_bins), the block's own
  // TODO 3. Begin with your 03, with one copy. Clear, count, merge.
  // TODO 4. All 32 lanes of a warp must call count(). Why is that so in your loop over the tiles?
  //         What about the last 0 to 3 samples?
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04_aggregated: write the kernel, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int most_blocks = max_resident_blocks(aggregated_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1, most_blocks);
  aggregated_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                 d_counts);
  check_launch();
}

}  // namespace lab
