// SPDX-License-Identifier: MIT
// 04 with digits of eight bits: half as many passes, and one thread of the block for each digit.
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 16;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr int kNumPasses = 32 / kDigitBits;
static_assert(kThreadsPerBlock == kNumDigits, "one thread per digit");
static_assert(kNumPasses % 2 == 0, "the last pass writes to d_out");

__device__ int digit_of(std::uint32_t key, int pass) {
  return static_cast<int>(key >> (pass * kDigitBits)) & (kNumDigits - 1);
}

// d_counts (kNumDigits, gridDim.x): a tile's number of keys with a digit; a tile per block.
__global__ void histogram_kernel(const std::uint32_t* d_in, int num_items, int pass,
                                 int* d_counts) {
  // TODO 1. Your 04's, but each thread has a digit now. Which tests does that make unnecessary?
}

// Returns the sum of `count` over all smaller digits; thread t holds digit t. All threads of the
// block must call, once in a kernel.
__device__ int sum_of_smaller_digits(int count) {
  // TODO 2. One warp cannot scan 256 digits at once. Which numbers must the eight warps exchange,
  //         and what must come between writing and reading them?
  return 0;
}

// d_starts (kNumDigits, gridDim.x): where a tile's keys of a digit go.
__global__ void __launch_bounds__(kThreadsPerBlock)
    scatter_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_starts,
                   std::uint32_t* d_out) {
  // TODO 3. Shared memory: the tile, the warps' counts, the destinations. How many bytes are they?
  // TODO 4. Rank the keys as in 04. How many ballots does a digit take now? A warp has 256 counts
  //         to set to zero, and 32 lanes.
  // TODO 5. In 04 one warp turned counts into places. Now thread t does so for digit t: in which
  //         order of warps?
  // TODO 6. Order the tile in shared memory and write it, as in 04.
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("04b_eight_bits: write the kernels and the passes, then delete this line");

  // TODO 7. Four passes. How many counts does the scan have now, for as many keys?
}

}  // namespace lab
