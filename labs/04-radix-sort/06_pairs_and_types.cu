// SPDX-License-Identifier: MIT
// 05 for any range of bits, for signed and float keys, and with a value for each key.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {

// Orders: to() turns a key's bits into an unsigned number that is larger where the key is, from()
// turns them back.
struct UnsignedOrder {
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
struct SignedOrder {
  // TODO 1. -1 is 0xffffffff and must come before 0. Which bit is the problem?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
struct FloatOrder {
  // TODO 2. Write down the bits of 1.0f, 2.0f, -1.0f, -2.0f in the order of their values. What must
  //         happen to the positive ones, and what to the negative ones? See radix_sort.cuh on
  //         -0 and NaN: do they need anything special?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};

namespace {

// What is sorted; the pointers to values are null where there are none.
struct Arrays {
  const std::uint32_t* d_keys_in;
  const std::uint32_t* d_values_in;
  std::uint32_t* d_keys_out;
  std::uint32_t* d_values_out;
};

// Sorts by bits [begin_bit, end_bit) of Order::to(bits of a key).
template <class Order, bool kHasValues>
void sort(Arrays arrays, int num_items, int begin_bit, int end_bit, Scratch& scratch,
          cudaStream_t stream) {
  todo("06_pairs_and_types: write sort, then delete this line");
  // TODO 3. Begin with your 05. Where is a key read, and where is it written? Put to() and
  //         from() there. Which key now fills up the last tile?
  // TODO 4. A pass is a range of bits: eight, or fewer in the last pass. How many passes are there,
  //         what if that number is odd, and what if it is 0?
  // TODO 5. Values go through the same shared memory after the keys. Which two places of a key must
  //         a thread still know then, and which barriers guard the reuse?
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
