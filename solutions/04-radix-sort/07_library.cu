// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: keys, keys by some of their bits, and pairs.
// New: temporary memory that the library asks for, with room for one more copy of the keys.
// Cost: one launch that counts all digits, and one pass for each, as in 05.
// Source: A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort".
#include <cub/device/device_radix_sort.cuh>

#include "lab/cuda_error.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kBitsOfKey = 32;

// Calls `call(d_temporary, size_bytes)` twice: with null, which only sets the size that the library
// needs, and with that much of scratch.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  check(call(nullptr, size_bytes));
  check(call(scratch.allocate<char>(size_bytes), size_bytes));
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  sort_bits(d_in, num_items, 0, kBitsOfKey, d_out, scratch, stream);
}

void sort_bits(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceRadixSort::SortKeys(d_temporary, size_bytes, d_in, d_out, num_items,
                                          begin_bit, end_bit, stream);
  });
}

void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& scratch,
                cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceRadixSort::SortPairs(d_temporary, size_bytes, d_keys_in, d_keys_out,
                                           d_values_in, d_values_out, num_items, 0, kBitsOfKey,
                                           stream);
  });
}

}  // namespace lab
