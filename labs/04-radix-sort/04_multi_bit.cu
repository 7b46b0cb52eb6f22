// SPDX-License-Identifier: MIT
// Sorts by digits of four bits: histogram, scan, scatter, eight times. The tile is put in order in
// shared memory first, so that neighbouring threads write neighbouring words.
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 4;
constexpr int kNumDigits = 1 << kDigitBits;

__device__ int digit_of(std::uint32_t key, int first_bit) {
  return static_cast<int>(key >> first_bit) & (kNumDigits - 1);
}

// d_counts (kNumDigits, gridDim.x): a tile's number of keys with a digit; a tile per block. Digits
// first: a scan over all counts then gives each tile's first place for each digit.
__global__ void histogram_kernel(const std::uint32_t* d_in, int num_items, int first_bit,
                                 int* d_counts) {
  // TODO 1. Count the tile's digits in shared memory. Many threads add to one counter: how?
  // TODO 2. Which barriers do you need around the counting?
}

// Returns the lanes whose digit is this lane's. All 32 lanes must call.
__device__ unsigned lanes_with_digit(int digit) {
  // TODO 3. One ballot per bit: which lanes have the bit that I have? Keep those that agree in all.
  return 0;
}

// d_starts (kNumDigits, gridDim.x): where a tile's keys of a digit go.
__global__ void __launch_bounds__(kThreadsPerBlock)
    scatter_kernel(const std::uint32_t* d_in, int num_items, int first_bit, const int* d_starts,
                   std::uint32_t* d_out) {
  __shared__ std::uint32_t tile[kTileItems];          // in order of digits
  __shared__ int warp_counts[kNumWarps][kNumDigits];  // then: where in the tile they begin
  __shared__ int destination[kNumDigits];             // place in d_out less place in the tile
  std::uint32_t keys[kItemsPerThread];
  int ranks[kItemsPerThread];  // among the warp's keys of the same digit

  // TODO 4. A warp takes 32 consecutive keys per round, kItemsPerThread rounds. A key's rank has
  //         two parts: the warp's keys of its digit in earlier rounds, which the warp counts in
  //         warp_counts, and those in lower lanes. Which lane updates the count? What must come
  //         between reading and updating it?
  // TODO 5. One warp scans the counts of the 16 digits, one digit per lane. Where in the sorted
  //         tile do the keys of a digit begin, and where among them those of each warp?
  // TODO 6. Put the keys into the tile in shared memory, in order. Then thread t writes the tile's
  //         keys t, t + kThreadsPerBlock, ...: where does the key at place i go?
  // TODO 7. The last tile: what do the places after its keys hold, and may it be written?
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("04_multi_bit: write the kernels, then delete this line");

  // TODO 8. What if there are no keys? And why does the first pass write to scratch?
  const int num_tiles = ceil_div(num_items, kTileItems);
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  int* d_counts = scratch.allocate<int>(kNumDigits * num_tiles);
  int* d_starts = scratch.allocate<int>(kNumDigits * num_tiles);
  const std::uint32_t* d_from = d_in;
  for (int first_bit = 0; first_bit < kKeyBits; first_bit += kDigitBits) {
    histogram_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_from, num_items, first_bit,
                                                                 d_counts);
    check_launch();
    exclusive_scan(d_counts, kNumDigits * num_tiles, d_starts, scratch, stream);
    scatter_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_from, num_items, first_bit,
                                                               d_starts, d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace lab
