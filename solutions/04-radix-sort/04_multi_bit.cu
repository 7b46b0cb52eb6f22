// SPDX-License-Identifier: MIT
// Sorts by digits of four bits: histogram, scan, scatter, eight times.
// New: ballots rank the keys of a warp among 16 digits at once; the tile is put in order in shared
// memory first, so that neighbouring threads write neighbouring words. Cost: 96 bytes per key.
// Source: N. Satish, M. Harris, M. Garland, "Designing Efficient Sorting Algorithms", IPDPS 2009.
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerThread = 8;
constexpr int kItemsPerWarp = kWarpSize * kItemsPerThread;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 4;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr std::uint32_t kPadding = 0xffffffffu;
static_assert(kNumDigits <= kWarpSize, "one warp scans the digits");
static_assert(kKeyBits / kDigitBits % 2 == 0, "the last pass writes to d_out");

__device__ int digit_of(std::uint32_t key, int first_bit) {
  return static_cast<int>(key >> first_bit) & (kNumDigits - 1);
}

// d_counts (kNumDigits, gridDim.x): a tile's number of keys with a digit; a tile per block. Digits
// first: a scan over all counts then gives each tile's first place for each digit.
__global__ void histogram_kernel(const std::uint32_t* d_in, int num_items, int first_bit,
                                 int* d_counts) {
  __shared__ int counts[kNumDigits];
  const int t = threadIdx.x;
  if (t < kNumDigits) counts[t] = 0;
  __syncthreads();  // the counts are zero
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int item = blockIdx.x * kTileItems + k * kThreadsPerBlock + t;
    if (item < num_items) atomicAdd(&counts[digit_of(d_in[item], first_bit)], 1);
  }
  __syncthreads();  // all have counted
  if (t < kNumDigits) d_counts[t * gridDim.x + blockIdx.x] = counts[t];
}

// Returns the lanes whose digit is this lane's. All 32 lanes must call.
__device__ unsigned lanes_with_digit(int digit) {
  unsigned same = kFullWarp;
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_set = digit >> bit & 1;
    const unsigned votes = __ballot_sync(kFullWarp, is_set);
    same &= is_set ? votes : ~votes;
  }
  return same;
}

// Returns the sum of `value` over lanes 0 to this one. All 32 lanes must call.
__device__ int warp_inclusive_sum(int value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += below;
  }
  return value;
}

// d_starts (kNumDigits, gridDim.x): where a tile's keys of a digit go.
__global__ void __launch_bounds__(kThreadsPerBlock)
    scatter_kernel(const std::uint32_t* d_in, int num_items, int first_bit, const int* d_starts,
                   std::uint32_t* d_out) {
  __shared__ std::uint32_t tile[kTileItems];          // in order of digits
  __shared__ int warp_counts[kNumWarps][kNumDigits];  // then: where in the tile they begin
  __shared__ int destination[kNumDigits];             // place in d_out less place in the tile
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  int* const counts = warp_counts[warp_id];  // (kNumDigits)

  if (lane_id < kNumDigits) counts[lane_id] = 0;
  __syncwarp();  // the warp's counts are zero

  // A warp takes 32 consecutive keys per round: earlier rounds, and in a round lower lanes, come
  // first in the input. Padding is last in the tile and has the largest digit: it stays last.
  std::uint32_t keys[kItemsPerThread];
  int ranks[kItemsPerThread];  // among the warp's keys of the same digit
  const int first_item = blockIdx.x * kTileItems + warp_id * kItemsPerWarp + lane_id;
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int item = first_item + k * kWarpSize;
    keys[k] = item < num_items ? d_in[item] : kPadding;
    const int digit = digit_of(keys[k], first_bit);
    const unsigned same = lanes_with_digit(digit);
    const int earlier = counts[digit];
    ranks[k] = earlier + __popc(same & lanes_below);
    __syncwarp();                                            // all have read the counts
    if (same >> lane_id == 1) counts[digit] = ranks[k] + 1;  // the digit's highest lane
    __syncwarp();                                            // the counts are up to date
  }
  __syncthreads();  // all warps have counted

  if (warp_id == 0) {
    const int digit = lane_id;  // lanes past the digits only take part in the scan
    int total = 0;
    if (lane_id < kNumDigits) {
      for (int warp = 0; warp < kNumWarps; ++warp) total += warp_counts[warp][digit];
    }
    int begin = warp_inclusive_sum(total) - total;  // the digit's first place in the tile
    if (lane_id < kNumDigits) {
      destination[digit] = d_starts[digit * gridDim.x + blockIdx.x] - begin;
      for (int warp = 0; warp < kNumWarps; ++warp) {
        const int count = warp_counts[warp][digit];
        warp_counts[warp][digit] = begin;
        begin += count;
      }
    }
  }
  __syncthreads();  // every warp knows where its keys of a digit begin

  for (int k = 0; k < kItemsPerThread; ++k) {
    tile[counts[digit_of(keys[k], first_bit)] + ranks[k]] = keys[k];
  }
  __syncthreads();  // the tile is in order

  for (int k = 0; k < kItemsPerThread; ++k) {
    const int i = k * kThreadsPerBlock + t;
    if (static_cast<int>(blockIdx.x) * kTileItems + i >= num_items) break;
    d_out[destination[digit_of(tile[i], first_bit)] + i] = tile[i];
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  if (num_items == 0) return;
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
