// SPDX-License-Identifier: MIT
// 04c for signed and float keys, and with a value for each key. New: an order is a pair of
// functions to and from unsigned keys; a value lies in shared memory at the same place as its key,
// and so goes to the same place in the output. Cost: about 80 bytes per pair. Source: the sign
// trick for floats: M. Herf, "Radix Tricks", 2001.
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
constexpr int kItemsPerThread = 16;
constexpr int kItemsPerWarp = kWarpSize * kItemsPerThread;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr int kNumPasses = 32 / kDigitBits;
constexpr int kItemsToCount = 16384;  // at least per block, or the device is not full
constexpr std::uint32_t kPadding = 0xffffffffu;
static_assert(kThreadsPerBlock == kNumDigits, "one thread per digit");
static_assert(kNumPasses % 2 == 0, "the last pass writes to d_out");

// Orders: to() turns a key's bits into an unsigned number that is larger where the key is larger;
// from() turns it back.
struct UnsignedOrder {
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
constexpr std::uint32_t kSignBit = 1u << 31;
struct SignedOrder {  // two's complement: negative numbers have the sign bit, and come first
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits ^ kSignBit; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key ^ kSignBit; }
};
struct FloatOrder {  // sign and magnitude: of two negative numbers the larger magnitude is smaller
  __device__ static std::uint32_t to(std::uint32_t bits) {
    return bits ^ ((bits & kSignBit) != 0 ? ~0u : kSignBit);
  }
  __device__ static std::uint32_t from(std::uint32_t key) {
    return key ^ ((key & kSignBit) != 0 ? kSignBit : ~0u);
  }
};

// What is sorted (num_items each); the pointers to values are null where keys have none.
struct Arrays {
  const std::uint32_t* d_keys_in;
  const std::uint32_t* d_values_in;
  std::uint32_t* d_keys_out;
  std::uint32_t* d_values_out;
};

__device__ int digit_of(std::uint32_t key, int pass) {
  return static_cast<int>(key >> (pass * kDigitBits)) & (kNumDigits - 1);
}

// d_counts (kNumPasses, kNumDigits), zero at first: how many keys have a digit in a pass.
template <class Order>
__global__ void count_kernel(const std::uint32_t* d_in, int num_items, int* d_counts) {
  __shared__ int counters[kNumPasses * kNumDigits];
  const int t = threadIdx.x;
  for (int bin = t; bin < kNumPasses * kNumDigits; bin += kThreadsPerBlock) counters[bin] = 0;
  __syncthreads();  // the counters are zero
  for (int i = blockIdx.x * kThreadsPerBlock + t; i < num_items;
       i += gridDim.x * kThreadsPerBlock) {
    const std::uint32_t key = Order::to(d_in[i]);
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

// d_begins (kNumDigits): the first place of each digit. `look_back` has a tile per block and a
// column per digit.
template <class Order>
__global__ void __launch_bounds__(kThreadsPerBlock)
    look_back_kernel(Arrays arrays, int num_items, int pass, const int* d_begins,
                     LookBack<int> look_back) {
  __shared__ std::uint32_t sorted[kTileItems];         // in order of digits
  __shared__ std::uint32_t sorted_values[kTileItems];  // each at the place of its key
  __shared__ int warp_counts[kNumWarps][kNumDigits];   // then: where in the tile they begin
  __shared__ int destination[kNumDigits];              // place in d_out less place in the tile
  __shared__ int ticket;
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  int* const counts = warp_counts[warp_id];  // (kNumDigits)
  const bool has_values = arrays.d_values_in != nullptr;

  for (int digit = lane_id; digit < kNumDigits; digit += kWarpSize) counts[digit] = 0;
  if (t == 0) ticket = look_back.take_ticket();
  __syncthreads();  // ticket is set, and all counts are zero
  const int tile = ticket;

  // A warp takes 32 consecutive keys per round: earlier rounds, and in a round lower lanes, come
  // first in the input. Padding is last in the tile and has the largest digit: it stays last.
  std::uint32_t keys[kItemsPerThread];
  std::uint32_t values[kItemsPerThread];
  int ranks[kItemsPerThread];  // among the warp's keys of the same digit
  const int first_item = tile * kTileItems + warp_id * kItemsPerWarp + lane_id;
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int item = first_item + k * kWarpSize;
    keys[k] = item < num_items ? Order::to(arrays.d_keys_in[item]) : kPadding;
    if (has_values && item < num_items) values[k] = arrays.d_values_in[item];
    const int digit = digit_of(keys[k], pass);
    const unsigned same = lanes_with_digit(digit);
    const int earlier = counts[digit];
    ranks[k] = earlier + __popc(same & lanes_below);
    __syncwarp();                                            // all have read the counts
    if (same >> lane_id == 1) counts[digit] = ranks[k] + 1;  // the digit's highest lane
    __syncwarp();                                            // the counts are up to date
  }
  __syncthreads();  // all warps have counted

  int count = 0;  // of digit t in the tile
  for (int warp = 0; warp < kNumWarps; ++warp) count += warp_counts[warp][t];
  look_back.publish(tile, count, t);  // later tiles wait for it
  const int begin = sum_of_smaller_digits(count);
  int place = begin;
  for (int warp = 0; warp < kNumWarps; ++warp) {
    const int in_warp = warp_counts[warp][t];
    warp_counts[warp][t] = place;
    place += in_warp;
  }
  __syncthreads();  // every warp knows where its keys of a digit begin

  const auto add = [](int a, int b) { return a + b; };
  const int before = look_back.exclusive_prefix_by_thread(tile, t, count, 0, add);
  destination[t] = d_begins[t] + before - begin;
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place_in_tile = counts[digit_of(keys[k], pass)] + ranks[k];
    sorted[place_in_tile] = keys[k];
    if (has_values) sorted_values[place_in_tile] = values[k];
  }
  __syncthreads();  // the tile is in order, and the destinations are known

  for (int k = 0; k < kItemsPerThread; ++k) {
    const int i = k * kThreadsPerBlock + t;
    if (tile * kTileItems + i >= num_items) break;
    const int place_in_output = destination[digit_of(sorted[i], pass)] + i;
    arrays.d_keys_out[place_in_output] = Order::from(sorted[i]);
    if (has_values) arrays.d_values_out[place_in_output] = sorted_values[i];
  }
}

// Keys alternate between the output and an array in scratch, and values likewise.
template <class Order>
void sort(const Arrays& arrays, int num_items, Scratch& scratch, cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kTileItems);
  const bool has_values = arrays.d_values_in != nullptr;
  Arrays next = arrays;  // of the next pass
  next.d_keys_out = scratch.allocate<std::uint32_t>(num_items);
  if (has_values) next.d_values_out = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other_keys = arrays.d_keys_out;
  std::uint32_t* d_other_values = arrays.d_values_out;
  int* d_counts = scratch.allocate<int>(kNumPasses * kNumDigits);
  check(cudaMemsetAsync(d_counts, 0, kNumPasses * kNumDigits * sizeof(int), stream));

  const int most_blocks = 2 * num_multiprocessors();
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsToCount), 1, most_blocks);
  count_kernel<Order>
      <<<num_blocks, kThreadsPerBlock, 0, stream>>>(arrays.d_keys_in, num_items, d_counts);
  check_launch();
  begin_kernel<<<kNumPasses, kNumDigits, 0, stream>>>(d_counts);
  check_launch();

  for (int pass = 0; pass < kNumPasses; ++pass) {
    const LookBack<int> look_back(num_tiles, scratch, stream, kNumDigits);
    look_back_kernel<Order><<<num_tiles, kThreadsPerBlock, 0, stream>>>(
        next, num_items, pass, d_counts + pass * kNumDigits, look_back);
    check_launch();
    next.d_keys_in = next.d_keys_out;
    next.d_values_in = next.d_values_out;
    std::swap(next.d_keys_out, d_other_keys);
    std::swap(next.d_values_out, d_other_values);
  }
}

// The bits of keys of another type: reading them as unsigned changes none.
template <class T>
Arrays bits_of(const T* d_in, T* d_out) {
  return {reinterpret_cast<const std::uint32_t*>(d_in), nullptr,
          reinterpret_cast<std::uint32_t*>(d_out), nullptr};
}

}  // namespace

void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& scratch,
                cudaStream_t stream) {
  sort<UnsignedOrder>({d_keys_in, d_values_in, d_keys_out, d_values_out}, num_items, scratch,
                      stream);
}

void sort_signed(const std::int32_t* d_in, int num_items, std::int32_t* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<SignedOrder>(bits_of(d_in, d_out), num_items, scratch, stream);
}

void sort_floats(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<FloatOrder>(bits_of(d_in, d_out), num_items, scratch, stream);
}

}  // namespace lab
