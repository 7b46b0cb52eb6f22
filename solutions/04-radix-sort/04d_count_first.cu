// SPDX-License-Identifier: MIT
// 04c with its steps in another order. New: a tile counts its digits before it ranks its keys, so
// its successors know the counts early, and its own look-back comes last, when it is short; a key
// goes to its place as soon as it is ranked, so a thread can hold twice as many keys. Limit: words
// of 64 bits to look back over, which must be cleared for each pass.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerThread = 32;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr int kNumPasses = 32 / kDigitBits;
constexpr int kItemsToCount = 16384;  // at least per block, or the device is not full
constexpr std::uint32_t kPadding = 0xffffffffu;
static_assert(kThreadsPerBlock == kNumDigits, "one thread per digit");
static_assert(kNumPasses % 2 == 0, "the last pass writes to d_out");

__device__ int digit_of(std::uint32_t key, int pass) {
  return static_cast<int>(key >> (pass * kDigitBits)) & (kNumDigits - 1);
}

// d_counts (kNumPasses, kNumDigits), zero at first: how many keys have a digit in a pass.
__global__ void count_kernel(const std::uint32_t* d_in, int num_items, int* d_counts) {
  __shared__ int counters[kNumPasses * kNumDigits];
  const int t = threadIdx.x;
  for (int bin = t; bin < kNumPasses * kNumDigits; bin += kThreadsPerBlock) counters[bin] = 0;
  __syncthreads();  // the counters are zero
  for (int i = blockIdx.x * kThreadsPerBlock + t; i < num_items;
       i += gridDim.x * kThreadsPerBlock) {
    const std::uint32_t key = d_in[i];
    for (int pass = 0; pass < kNumPasses; ++pass) {
      atomicAdd(&counters[pass * kNumDigits + digit_of(key, pass)], 1);
    }
  }
  __syncthreads();  // all have counted
  for (int bin = t; bin < kNumPasses * kNumDigits; bin += kThreadsPerBlock) {
    if (counters[bin] > 0) atomicAdd(&d_counts[bin], counters[bin]);
  }
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

// Returns the sum of `count` over all smaller digits; thread t holds digit t. All threads of the
// block must call, once in a kernel.
__device__ int sum_of_smaller_digits(int count) {
  __shared__ int warp_sums[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int inclusive = warp_inclusive_sum(count);
  if (lane_id == kWarpSize - 1) warp_sums[warp_id] = inclusive;
  __syncthreads();  // the sums of all warps are there
  int sum = inclusive - count;
  for (int warp = 0; warp < warp_id; ++warp) sum += warp_sums[warp];
  return sum;
}

// Turns counts into first places, pass by pass: one block of kNumDigits threads per pass.
__global__ void begin_kernel(int* d_counts) {
  int* const d_count = &d_counts[blockIdx.x * kNumDigits + threadIdx.x];
  *d_count = sum_of_smaller_digits(*d_count);
}

struct TileStorage {
  // By warp and digit: how many keys; then where in the sorted tile the next one goes.
  int places[kNumWarps][kNumDigits];
  std::uint32_t keys[kTileItems];  // in order of digits
  int destination[kNumDigits];     // a digit's place in d_out, less its place in the tile
  int tile;
};

// d_begins (kNumDigits): the first place of each digit. `look_back` has a tile per block and a
// column per digit.
__global__ void __launch_bounds__(kThreadsPerBlock)
    count_first_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_begins,
                       LookBack<int> look_back, std::uint32_t* d_out) {
  __shared__ TileStorage shared;
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  const unsigned lanes_above = ~1u << lane_id;
  int* const places = shared.places[warp_id];  // (kNumDigits)

  if (t == 0) shared.tile = look_back.take_ticket();
  for (int digit = lane_id; digit < kNumDigits; digit += kWarpSize) places[digit] = 0;
  __syncthreads();  // the tile is known, and each warp's counts are zero
  const int tile = shared.tile;
  const int num_valid = min(kTileItems, num_items - tile * kTileItems);

  // A warp takes 32 consecutive keys per round. Padding has the largest digit and is last in the
  // tile: it stays there.
  std::uint32_t keys[kItemsPerThread];
  const int first = warp_id * kWarpSize * kItemsPerThread + lane_id;
  const std::uint32_t* d_first = d_in + tile * kTileItems + first;
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    keys[k] = first + k * kWarpSize < num_valid ? d_first[k * kWarpSize] : kPadding;
  }
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) atomicAdd(&places[digit_of(keys[k], pass)], 1);
  __syncthreads();  // all warps have counted

  int count = 0;  // of digit t in the tile
  for (int warp = 0; warp < kNumWarps; ++warp) count += shared.places[warp][t];
  look_back.publish(tile, count, t);  // first of all: later tiles wait for it
  const int begin = sum_of_smaller_digits(count);
  int place = begin;
  for (int warp = 0; warp < kNumWarps; ++warp) {
    const int in_warp = shared.places[warp][t];
    shared.places[warp][t] = place;
    place += in_warp;
  }
  __syncthreads();  // every warp knows where its keys of a digit begin

#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int digit = digit_of(keys[k], pass);
    const unsigned same = lanes_with_digit(digit);
    const int place = places[digit] + __popc(same & lanes_below);
    __syncwarp();  // all have read the places
    if ((same & lanes_above) == 0) places[digit] = place + 1;
    __syncwarp();  // the places are up to date
    shared.keys[place] = keys[k];
  }
  // Last of all: by now most predecessors have a prefix, so the look-back is short.
  const auto add = [](int a, int b) { return a + b; };
  const int before = look_back.exclusive_prefix_by_thread(tile, t, count, 0, add);
  shared.destination[t] = d_begins[t] + before - begin;
  __syncthreads();  // the tile is in order, and the destinations are known

  for (int i = t; i < num_valid; i += kThreadsPerBlock) {
    const std::uint32_t key = shared.keys[i];
    d_out[shared.destination[digit_of(key, pass)] + i] = key;
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kTileItems);
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  int* d_counts = scratch.allocate<int>(kNumPasses * kNumDigits);
  check(cudaMemsetAsync(d_counts, 0, kNumPasses * kNumDigits * sizeof(int), stream));

  const int most_blocks = 2 * num_multiprocessors();
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsToCount), 1, most_blocks);
  count_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_counts);
  check_launch();
  begin_kernel<<<kNumPasses, kNumDigits, 0, stream>>>(d_counts);
  check_launch();

  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kNumPasses; ++pass) {
    const LookBack<int> look_back(num_tiles, scratch, stream, kNumDigits);
    count_first_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
        d_from, num_items, pass, d_counts + pass * kNumDigits, look_back, d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace lab
