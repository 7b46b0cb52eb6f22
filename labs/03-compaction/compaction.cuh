// SPDX-License-Identifier: MIT
// The contract of lab 03-compaction. Rungs 01 to 03 each define compact, rung 04 defines partition,
// rung 05 compact_unordered. Not edited by students.
//
// What holds for all three:
//   d_in     (num_items)  device, read only, 256-byte aligned; may be null when there are no items
//   d_out    (num_items)  device, 256-byte aligned; may be null when there are no items
//   d_count  (1)          device, overwritten with the number of kept items, also when there are no
//                         items: the host, and whatever runs next, learn from it how long d_out is
//   scratch  device memory for temporaries: at least 9 * num_items bytes plus 64 KiB, contents
//            undefined; Scratch::allocate<T>(count) throws std::bad_alloc when it is used up
//   stream   all work is queued on it and the host does not wait. Calls never overlap in time: one
//            stream, or streams ordered by events
//   aliasing none: d_in, d_out and d_count do not overlap
//   lengths  [0, 2^31)
//   errors   lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// Which items to keep: those whose bits under `mask` are equal to `value`. {1, 0} keeps the even
// ones, {0, 0} all of them, {0, 1} none. Small and trivially copyable, so it travels to a kernel as
// an argument.
struct Predicate {
  int mask;
  int value;
  __host__ __device__ bool operator()(int item) const { return (item & mask) == value; }
};

// Writes the kept items to d_out[0], d_out[1], ..., in their order, and nothing at or
// past their number.
void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream);

// Writes the kept items to d_out[0], d_out[1], ..., and directly after them all others, both in
// their order: a stable split. All of d_out is written.
void partition(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
               Scratch& scratch, cudaStream_t stream);

// As compact, but in any order: the kept items, each once. Two calls need not give
// the same order.
void compact_unordered(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                       Scratch& scratch, cudaStream_t stream);

}  // namespace lab
