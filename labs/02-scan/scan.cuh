// SPDX-License-Identifier: MIT
// The contract of lab 02-scan. Rungs 01 to 06 each define exclusive_scan; rung 03 defines up_sweep
// as well; rung 07 defines the six functions below them. Not edited by students.
//
// What holds for all of them:
//   inputs   device memory, read only, 256-byte aligned; may be null when there are no items
//   outputs  device memory, 256-byte aligned, every item overwritten; may be null when there are no
//            items; no overlap with the inputs, unless said otherwise
//   sums     wrap modulo 2^32. In C++ that is what unsigned does (signed overflow is undefined):
//            add as unsigned, see as_unsigned() below
//   scratch  device memory for temporaries: at least num_items / 4 bytes plus 64 KiB, contents
//            undefined; Scratch::allocate<T>(count) throws std::bad_alloc when it is used up
//   stream   all work is queued on it and the host does not wait. Calls never overlap in time: one
//            stream, or streams ordered by events
//   lengths  [0, 2^31); rungs 02, 03 and 04 scan in one block, [0, kMaxItemsInOneBlock], and rung
//            05a in two, [0, kMaxItemsInTwoBlocks]. They throw TooManyItems beyond, before anything
//            is launched
//   errors   lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>

#include "lab/scratch.cuh"

namespace lab {

// What a scan by a single block must be able to take.
inline constexpr int kMaxItemsInOneBlock = 1024;
inline constexpr int kMaxItemsInTwoBlocks = 2 * kMaxItemsInOneBlock;

// The input is longer than what this rung promises to scan.
class TooManyItems : public std::exception {
 public:
  explicit TooManyItems(int num_items, int most = kMaxItemsInOneBlock) {
    std::snprintf(what_, sizeof what_, "TooManyItems: %d items, but this rung scans at most %d",
                  num_items, most);
  }
  const char* what() const noexcept override { return what_; }

 private:
  char what_[80];
};

// int and unsigned may alias: the same words, to be added modulo 2^32.
inline const unsigned* as_unsigned(const int* d_items) {
  return reinterpret_cast<const unsigned*>(d_items);
}
inline unsigned* as_unsigned(int* d_items) { return reinterpret_cast<unsigned*>(d_items); }

// d_out[i] = d_in[0] + ... + d_in[i - 1]; d_out[0] = 0.
//   d_in  (num_items)
//   d_out (num_items)
void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream);

// The first half of Blelloch's scan: d_out[i] = the sum of the `size` items that end with item i,
// where `size` is the largest power of two that divides i + 1. (0..7 -> [0 1 2 6 4 9 6 28])
//   d_in  (num_items)  num_items <= kMaxItemsInOneBlock
//   d_out (num_items)
void up_sweep(const int* d_in, int num_items, int* d_out, Scratch& scratch, cudaStream_t stream);

// d_out[i] = d_in[0] + ... + d_in[i].
//   d_in  (num_items)
//   d_out (num_items)
void inclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream);

// The inclusive scan of d_in, given its exclusive scan.
//   d_in, d_exclusive (num_items)
//   d_out             (num_items)  may be the same array as d_exclusive
void inclusive_from_exclusive(const int* d_in, const int* d_exclusive, int num_items, int* d_out,
                              Scratch& scratch, cudaStream_t stream);

// The exclusive scan of an array, given its inclusive scan alone.
//   d_inclusive (num_items)
//   d_out       (num_items)
void exclusive_from_inclusive(const int* d_inclusive, int num_items, int* d_out, Scratch& scratch,
                              cudaStream_t stream);

// Replaces d_items by its exclusive scan.
//   d_items (num_items)  read and overwritten
void exclusive_scan_in_place(int* d_items, int num_items, Scratch& scratch, cudaStream_t stream);

// d_out[i] = the largest of d_in[0] to d_in[i - 1]; d_out[0] = INT_MIN, the identity of max.
//   d_in  (num_items)
//   d_out (num_items)
void exclusive_max_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream);

// The map x -> scale * x + shift, modulo 2^32.
struct AffineMap {
  unsigned scale;
  unsigned shift;
};

// d_out[i] = the map that applies d_in[0] first, then d_in[1], and so on to d_in[i]. Composing maps
// is associative, but not commutative: to double and then to add 1 is not to add 1 and then to
// double.
//   d_in  (num_maps)
//   d_out (num_maps)
void inclusive_affine_scan(const AffineMap* d_in, int num_maps, AffineMap* d_out, Scratch& scratch,
                           cudaStream_t stream);

}  // namespace lab
