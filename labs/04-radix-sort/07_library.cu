// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: keys, keys by some of their bits, and pairs.
#include <cub/device/device_radix_sort.cuh>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kBitsOfKey = 32;

// Calls a function of CUB, `call(d_temporary, size_bytes)`.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  // TODO 1. With nullptr for d_temporary, a call only sets size_bytes: nothing is launched. Then
  //         call again, with that much of scratch. Both calls return an error code: check() it.
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_library: radix_sort");
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    // TODO 2. cub::DeviceRadixSort::SortKeys. The parameters after num_items are bits. Where does
    //         the stream go, and what becomes of a stream in the wrong place?
    return cudaSuccess;
  });
}

void sort_bits(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("07_library: sort_bits");
  // TODO 3. The same with a range of bits. How many passes does it make for 8 bits, and for 32?
}

void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_library: sort_pairs");
  // TODO 4. cub::DeviceRadixSort::SortPairs has the parameters in another order than this function.
}

}  // namespace lab
