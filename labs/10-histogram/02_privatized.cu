// SPDX-License-Identifier: MIT
// Each block counts in a histogram of its own, in shared memory, and adds it to the result once.
#include <algorithm>
#include <cstdint>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    privatized_kernel(const float* d_samples, int num_samples, EvenBins bins,
                      unsigned int* d_counts) {
  __shared__ unsigned int counts[kMaxBins];  // (bins.num_bins), the block's own
  // TODO 1. What is in `counts` when the block starts? There may be more bins than threads.
  // TODO 2. Count this thread's samples: a grid-stride loop, as in 01-reduction/04.
  // TODO 3. Add the block's counts to d_counts. Why still by atomics? Which of them can you save?
  // TODO 4. Where does a thread use what another one has written? What must come before that?
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_privatized: write the kernel, then delete this line");

  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  // TODO 5. Every block merges num_bins counts. Why does the grid not grow with the samples?
  const int most_blocks = max_resident_blocks(privatized_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_samples, kThreadsPerBlock), 1, most_blocks);
  privatized_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                 d_counts);
  check_launch();
}

}  // namespace lab
