// SPDX-License-Identifier: MIT
// More bins than shared memory holds: they are cut into ranges, and a block counts one range of a
// share of the samples.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Bins first to first + size - 1, with their counts in shared memory.
struct Range {
  int first;
  int size;
  unsigned int* counts;  // (size)

  __device__ void count(float sample, EvenBins bins) const {
    // TODO 1. Count the sample if its bin is in this range. Where is its counter?
  }
};

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. A range has most_bins
// bins, the last one perhaps fewer; gridDim.x is the number of ranges, and gridDim.y of shares.
__global__ void __launch_bounds__(kThreadsPerBlock)
    bin_ranges_kernel(const float* d_samples, int num_samples, EvenBins bins, int most_bins,
                      unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];  // (most_bins)
  // TODO 2. Which range is this block's, and which share of the samples?
  // TODO 3. Clear, count, merge, as in your 03. Which tiles does the loop visit now?
  // TODO 4. Which blocks read the same samples? When should they run, so that the samples come from
  //         the L2 cache? What does __ldcs ask for, and is it right here?
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_bin_ranges: write the kernel and its launch, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int num_ranges = 1;  // TODO 5. How much shared memory may a block have on this device?
  const int most_bins = 1;   // TODO 6. How many ranges follow, and how many bins has a range?
  const int shared_bytes = most_bins * static_cast<int>(sizeof(unsigned int));
  // TODO 7. What must a kernel request to get more than 48 KiB?

  const int most_blocks = max_resident_blocks(bin_ranges_kernel, kThreadsPerBlock, shared_bytes);
  const int num_shares = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1,
                                    std::max(1, most_blocks / num_ranges));
  bin_ranges_kernel<<<dim3(num_ranges, num_shares), kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, most_bins, d_counts);
  check_launch();
}

}  // namespace lab
