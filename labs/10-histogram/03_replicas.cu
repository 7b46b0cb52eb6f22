// SPDX-License-Identifier: MIT
// A block keeps several copies of its histogram, up to one per lane of a warp, so that no two lanes
// of a warp share a bank or a bin. And it loads 16 bytes at a time.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;
constexpr int kMaxCounters = 12288;  // 48 KiB, what a block may have without asking for more

// Counts into the copy `copy` of `counts`.
__device__ void count(float sample, EvenBins bins, unsigned int* counts, int num_copies, int copy) {
  // TODO 1. Where in `counts` is the counter of a bin and a copy? With 32 copies, lane l is to use
  //         bank l for every bin.
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. num_copies is a power of
// two up to 32; needs bins.num_bins * num_copies words of dynamic shared memory.
__global__ void __launch_bounds__(kThreadsPerBlock)
    replicas_kernel(const float* d_samples, int num_samples, EvenBins bins, int num_copies,
                    unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];
  // TODO 2. Clear all copies. Which one is this thread's?
  // TODO 3. Read the samples as float4, a tile of kVectorsPerTile per round: load kVectorsInFlight
  //         vectors into registers, then count them. What can you load past the end that counts
  //         nowhere?
  // TODO 4. num_samples need not be a multiple of 4. Which threads count the rest?
  // TODO 5. Add up the copies of each bin. With which copy must a lane begin, so that no two lanes
  //         read the same bank?
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03_replicas: write the kernel, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int num_copies = kWarpSize;  // TODO 6. With how many bins do these fit? And with more?
  const int shared_bytes = num_bins * num_copies * static_cast<int>(sizeof(unsigned int));

  const int most_blocks = max_resident_blocks(replicas_kernel, kThreadsPerBlock, shared_bytes);
  const int num_blocks = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1, most_blocks);
  replicas_kernel<<<num_blocks, kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, num_copies, d_counts);
  check_launch();
}

}  // namespace lab
