// SPDX-License-Identifier: MIT
// 04c for signed and float keys, and with a value for each key. Begin with your 04c: what stays the
// same is not listed here. TODO 1 to 3 make sort_pairs work; TODO 4 and 5, further up, add the
// orders of the other types.
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
struct SignedOrder {
  // TODO 4. -1 is 0xffffffff and must come before 0. Which bit is the problem?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
struct FloatOrder {
  // TODO 5. Write down the bits of 1.0f, 2.0f, -1.0f and -2.0f in the order of their values. What
  //         must happen to the positive ones, and what to the negative ones?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};

// What is sorted (num_items each); the pointers to values are null where keys have none.
struct Arrays {
  const std::uint32_t* d_keys_in;
  const std::uint32_t* d_values_in;
  std::uint32_t* d_keys_out;
  std::uint32_t* d_values_out;
};

// TODO 1. Copy the device functions and the three kernels of your 04c. Give count_kernel and
//         look_back_kernel a `template <class Order>`. Use Order::to where a key is read from
//         global memory, and Order::from where it is written. Padding is not a key: it is kPadding
//         in every order.
// TODO 2. look_back_kernel takes `Arrays` in place of d_in and d_out. Where there are values, a
//         thread loads them with its keys. A value lies in shared memory of its own, at the place
//         of its key. Which place in the output does it get?

// Keys alternate between the output and an array in scratch, and values likewise.
template <class Order>
void sort(const Arrays& arrays, int num_items, Scratch& scratch, cudaStream_t stream) {
  todo("06_pairs_and_types: write sort, then delete this line");
  // TODO 3. The host's part of your 04c, with `Arrays` for each pass. After a pass, what it wrote
  //         is what the next one reads. Take no scratch for values that do not exist.
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
