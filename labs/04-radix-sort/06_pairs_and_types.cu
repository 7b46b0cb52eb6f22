// SPDX-License-Identifier: MIT
// 05b with a value for each key. Loading and writing a tile are functions now, since both happen
// twice: for the keys and for their values.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;

// To tune for a device.
constexpr int kThreadsPerBlock = 256;
constexpr int kManyItems = 40;  // per thread: the more, the longer the runs that are written out
constexpr int kFewItems = 24;   // per thread, where larger tiles would leave multiprocessors idle
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kLookBackWindow = 2;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;

struct UnsignedOrder {
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
// TODO 1. The other orders, the digits, the counting and the words to look back over are your
//         05b's.
struct SignedOrder : UnsignedOrder {};
struct FloatOrder : UnsignedOrder {};

template <int kItemsPerThread>
struct TileStorage {
  static constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
  // By warp and digit: how many keys; then where in the sorted tile the next one goes.
  int places[kNumWarps][kNumDigits];
  std::uint32_t keys[kTileItems];  // in order of digits
  int destination[kNumDigits];     // a digit's place in the output, less its place in the tile
  int warp_sums[kNumDigits / kWarpSize];
  int tile;
  std::uint32_t values[kTileItems];  // in the order of their keys; last, as keys alone lack them
};

// What is sorted; the pointers to values are null where there are none.
struct Arrays {
  const std::uint32_t* d_keys_in;
  const std::uint32_t* d_values_in;
  std::uint32_t* d_keys_out;
  std::uint32_t* d_values_out;
};

// This thread's items of an array's tile, or `padding` where it has no more; d_first: the first
// one.
template <int kItemsPerThread>
__device__ void load_items(const std::uint32_t* d_first, int num_left, std::uint32_t padding,
                           std::uint32_t (&items)[kItemsPerThread]) {
  if (num_left > (kItemsPerThread - 1) * kWarpSize) {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) items[k] = d_first[k * kWarpSize];
  } else {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) {
      items[k] = k * kWarpSize < num_left ? d_first[k * kWarpSize] : padding;
    }
  }
}

// Calls `write` for this thread's places of a sorted tile. For full tiles without a test for each:
// then all places are read before one is written.
template <int kItemsPerThread, class Write>
__device__ void for_my_places(int num_valid, const Write& write) {
  if (num_valid == TileStorage<kItemsPerThread>::kTileItems) {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) write(k * kThreadsPerBlock + threadIdx.x);
  } else {
    for (int i = threadIdx.x; i < num_valid; i += kThreadsPerBlock) write(i);
  }
}

// TODO 2. onesweep_kernel gets `Arrays`, and `bool kHasValues` after the order: with `if constexpr`
//         a sort of keys alone does nothing for values. A value needs the two places of its key, in
//         the tile and in the output. Which of them does 05b no longer know?
// TODO 3. Values go through shared.values. When should they be loaded, so that no thread waits for
//         them? Which barrier does the second round need?
// TODO 4. rank_kernel: a key's value goes to the key's place.

// Sorts by bits [begin_bit, end_bit) of Order::to(bits of a key).
template <class Order, bool kHasValues>
void sort(const Arrays& arrays, int num_items, int begin_bit, int end_bit, Scratch& scratch,
          cudaStream_t stream) {
  todo("06_pairs_and_types: write sort, then delete this line");
  // TODO 5. The host's passes as in 05b. Keys and values alternate between two arrays each: how
  //         much scratch is that, and which sorts need no array for values? offsetof(Storage,
  //         values) is what they need of a TileStorage.
}

// The bits of keys of another type: reading them as unsigned changes none.
template <class T>
Arrays bits_of(const T* d_in, T* d_out) {
  return {reinterpret_cast<const std::uint32_t*>(d_in), nullptr,
          reinterpret_cast<std::uint32_t*>(d_out), nullptr};
}

}  // namespace

void sort_bits(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  sort<UnsignedOrder, false>(bits_of(d_in, d_out), num_items, begin_bit, end_bit, scratch, stream);
}

void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& scratch,
                cudaStream_t stream) {
  sort<UnsignedOrder, true>({d_keys_in, d_values_in, d_keys_out, d_values_out}, num_items, 0, 32,
                            scratch, stream);
}

void sort_signed(const std::int32_t* d_in, int num_items, std::int32_t* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<SignedOrder, false>(bits_of(d_in, d_out), num_items, 0, 32, scratch, stream);
}

void sort_floats(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<FloatOrder, false>(bits_of(d_in, d_out), num_items, 0, 32, scratch, stream);
}

}  // namespace lab
