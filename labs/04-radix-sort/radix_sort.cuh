// SPDX-License-Identifier: MIT
// The contract of lab 04-radix-sort. Rungs 01 and 03 to 05 define radix_sort; 01 also defines
// split. 02 defines only sort_tiles. 06 defines sort_pairs, sort_signed and sort_floats; 05b
// defines sort_bits, sort_signed and sort_floats. Not edited by students.
//
// What holds for all of them:
//   inputs   device memory, read only, 256-byte aligned; may be null when there are no items
//   outputs  device memory, 256-byte aligned, overwritten; no overlap with the inputs or each other
//   scratch  device memory for temporaries: at least 16 bytes per item (so a copy of the keys, and
//            three more words per item) plus 1 MiB, contents undefined; Scratch::allocate<T>(count)
//            throws std::bad_alloc when it is used up
//   stream   all work is queued on it and the host does not wait. Calls never overlap in time: one
//            stream, or streams ordered by events
//   lengths  [0, 2^30)
//   errors   lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lab/scratch.cuh"

namespace lab {

// d_out = d_in in ascending order.
//   d_in, d_out  (num_items)
void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream);

// One pass of rung 01: the keys whose bit `bit` is 0, then those whose bit is 1, each group in the
// order of d_in.
//   bit             0 (lowest) to 31
//   d_in, d_out     (num_items)
//   d_total_falses  (1)  how many keys have a 0 there; 0 without items
void split(const std::uint32_t* d_in, int num_items, int bit, std::uint32_t* d_out,
           int* d_total_falses, Scratch& scratch, cudaStream_t stream);

// A tile: this many consecutive keys. The last one of an array may be shorter.
inline constexpr int kSortTileItems = 1024;

// Rung 02: each tile of d_out holds the keys of the same tile of d_in in ascending order. What the
// tiles have to do with each other does not matter: rung 03 merges them.
//   d_in, d_out  (num_items)
void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream);

// Rung 05b, on a range of bits: ascending by bits begin_bit to end_bit - 1 alone. Stable:
// keys that are equal there keep the order of d_in, whatever their other bits are.
//   begin_bit, end_bit  0 <= begin_bit <= end_bit <= 32; an empty range copies d_in
//   d_in, d_out         (num_items)
void sort_bits(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream);

// Rung 06, keys with values: ascending by key; a value goes where its key goes. Stable: values of
// equal keys keep their order.
//   d_keys_in, d_values_in, d_keys_out, d_values_out  (num_items)
void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& scratch,
                cudaStream_t stream);

// Rungs 05b and 06, signed keys: the most negative first.
//   d_in, d_out  (num_items)
void sort_signed(const std::int32_t* d_in, int num_items, std::int32_t* d_out, Scratch& scratch,
                 cudaStream_t stream);

// Rungs 05b and 06, float keys, in the total order of IEEE 754: NaNs with the sign bit set,
// -infinity, the negative numbers, -0, +0, the positive numbers, +infinity, NaNs with the sign bit
// clear; two NaNs of one sign by the size of their bits. Every key keeps its exact bits, a NaN's
// payload included.
//   d_in, d_out  (num_items)
void sort_floats(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream);

}  // namespace lab
