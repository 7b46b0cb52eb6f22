// SPDX-License-Identifier: MIT
// 04b with one kernel per pass: one kernel before the passes counts all digits. A tile looks
// back to find how many keys of each digit the tiles before it have.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
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
constexpr int kItemsToCount = 16384;  // at least per block, or the device is not full
static_assert(kThreadsPerBlock == kNumDigits, "one thread per digit");
static_assert(kNumPasses % 2 == 0, "the last pass writes to d_out");

// d_counts (kNumPasses, kNumDigits), zero at first: how many keys have a digit in a pass.
__global__ void count_kernel(const std::uint32_t* d_in, int num_items, int* d_counts) {
  // TODO 1. Count all four digits of each key in shared memory, with a loop over the grid. Only at
  //         the end add to d_counts: how many atomics does that take, and how many would it be with
  //         one per digit?
}

// TODO 2. sum_of_smaller_digits is your 04b's.

// Turns counts into first places, pass by pass: one block of kNumDigits threads per pass.
__global__ void begin_kernel(int* d_counts) {
  // TODO 3. An exclusive scan of 256 numbers.
}

// d_begins (kNumDigits): the first place of each digit. `look_back` has a tile per block and a
// column per digit.
__global__ void __launch_bounds__(kThreadsPerBlock)
    look_back_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_begins,
                     LookBack<int> look_back, std::uint32_t* d_out) {
  // TODO 4. Which tile is this block's? A tile waits for those before it, and block 0 need not
  //         start first: draw a ticket.
  // TODO 5. Rank the keys as in 04b.
  // TODO 6. Thread t knows how many keys of digit t the tile has. Read lab/look_back.cuh: what does
  //         it publish, and which call returns the number of keys of digit t in all tiles before?
  // TODO 7. In 04b d_starts had a tile's first place for each digit. Now it is a sum of two
  //         numbers. Which?
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("04c_look_back_by_digit: write the kernels, then delete this line");

  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kTileItems);
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  int* d_counts = scratch.allocate<int>(kNumPasses * kNumDigits);
  // TODO 8. What must be zero before the first kernel starts?

  const int most_blocks = 2 * num_multiprocessors();
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsToCount), 1, most_blocks);
  count_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_counts);
  check_launch();
  begin_kernel<<<kNumPasses, kNumDigits, 0, stream>>>(d_counts);
  check_launch();

  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kNumPasses; ++pass) {
    const LookBack<int> look_back(num_tiles, scratch, stream, kNumDigits);
    look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
        d_from, num_items, pass, d_counts + pass * kNumDigits, look_back, d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace lab
