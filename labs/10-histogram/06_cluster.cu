// SPDX-License-Identifier: MIT
// A histogram per cluster: eight blocks hold an eighth of the bins each, and every thread counts in
// the shared memory of the block that has the bin. So each sample is read once.
#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

namespace cg = cooperative_groups;

constexpr int kThreadsPerBlock = 1024;
constexpr int kBlocksPerCluster = 8;  // the most that every device with clusters allows
constexpr int kVectorsInFlight = 4;   // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Counts in the block that has the bin: the upper bits of a bin are a rank, the lower ones a place.
__device__ void count(float sample, EvenBins bins, int place_bits, unsigned int* counts) {
  // TODO 1. What is the rank, and what is the place?
  // TODO 2. How do you get the address of that block's `counts`?
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. A block has 2^place_bits
// bins, so that a cluster has bins.num_bins or more.
__global__ void __cluster_dims__(8) __launch_bounds__(kThreadsPerBlock)
    cluster_kernel(const float* d_samples, int num_samples, EvenBins bins, int place_bits,
                   unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];  // (2^place_bits), of this block
  // TODO 3. Clear, count, merge. Which blocks must have finished a phase before the next begins?
  // TODO 4. What happens to an atomic on the shared memory of a block that has ended?
  // TODO 5. Which bins does this block merge? The last blocks may have fewer, or none.
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("06_cluster: write the kernel and its launch, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int place_bits = 0;  // TODO 6. The fewest that are enough for num_bins.
  const int shared_bytes = static_cast<int>(sizeof(unsigned int)) << place_bits;
  check(cudaFuncSetAttribute(cluster_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));

  const int num_blocks = 1;  // TODO 7. As many as are resident, in whole clusters.
  cluster_kernel<<<num_blocks, kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, place_bits, d_counts);
  check_launch();
}

}  // namespace lab
