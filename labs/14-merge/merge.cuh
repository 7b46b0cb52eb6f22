// SPDX-License-Identifier: MIT
// The contract of lab 14-merge. Rungs 01 to 03 define merge, 04 defines sort_tiles, and 05 defines
// sort. Not edited by students.
//
// What holds for all of them:
//   inputs   device memory, read only, 256-byte aligned; may be null when there are no items
//   outputs  device memory, 256-byte aligned, overwritten; no overlap with the inputs
//   scratch  device memory for temporaries: at least 9 bytes per item plus 64 KiB, with undefined
//            contents; Scratch::allocate<T>(count) throws std::bad_alloc when it is used up
//   stream   all work is queued on it, and the host does not wait
//   lengths  [0, 2^30), and the sum of two lengths, too
//   errors   lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lab/scratch.cuh"

namespace lab {

// numerator / denominator, with a denominator of at least 1; not reduced. 1/2 and 2/4 are equal,
// but they are different items: their order in a result shows whether an algorithm is stable.
struct alignas(8) Fraction {
  int numerator;
  int denominator;
};

// Two strict weak orders: comes_before(x, y) is whether x must precede y. It is false for equal
// items. Inlined always, so that a mistake is reported in the line that calls it.
struct ByValue {  // ascending; exact, since the products have 64 bits
  __host__ __device__ __forceinline__ bool operator()(Fraction x, Fraction y) const {
    return static_cast<std::int64_t>(x.numerator) * y.denominator <
           static_cast<std::int64_t>(y.numerator) * x.denominator;
  }
};
struct LargestDenominatorFirst {
  __host__ __device__ __forceinline__ bool operator()(Fraction x, Fraction y) const {
    return x.denominator > y.denominator;
  }
};
enum class Order { kByValue, kLargestDenominatorFirst };

// Rungs 01 to 03: merges two arrays that are ascending by value. Stable: equal items keep their
// order, and those of d_a precede those of d_b.
//   d_a    (num_a)          ascending by ByValue
//   d_b    (num_b)          ascending by ByValue
//   d_out  (num_a + num_b)
void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& scratch, cudaStream_t stream);

// A tile: this many consecutive items. The last one of an array may be shorter.
inline constexpr int kTileItems = 4352;

// Rung 04: each tile of d_out holds the items of the same tile of d_in, sorted by `order`. Stable.
//   d_in, d_out  (num_items)
void sort_tiles(const Fraction* d_in, int num_items, Order order, Fraction* d_out, Scratch& scratch,
                cudaStream_t stream);

// Rung 05: d_out holds the items of d_in, sorted by `order`. Stable.
//   d_in, d_out  (num_items)
void sort(const Fraction* d_in, int num_items, Order order, Fraction* d_out, Scratch& scratch,
          cudaStream_t stream);

}  // namespace lab
