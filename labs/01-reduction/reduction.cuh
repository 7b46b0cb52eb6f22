// SPDX-License-Identifier: MIT
// The contract of lab 01-reduction. Rungs 01 to 06 each define reduce_sum; rung 07 defines the
// seven functions below it. Not edited by students.
//
// What holds for all of them:
//   inputs   device memory, read only, 256-byte aligned; may be null when there are no items
//   output   one element in device memory, overwritten, also when there are no items; no overlap
//            with the inputs
//   scratch  device memory for temporaries: at least num_items / 4 bytes plus 64 KiB, contents
//            undefined; Scratch::allocate<T>(count) throws std::bad_alloc when it is used up
//   stream   all work is queued on it and the host does not wait. Calls never overlap in time: one
//            stream, or streams ordered by events
//   lengths  [0, 2^31)
//   errors   lab::CudaError if a launch fails
//   rounding the terms may be added in any order. With u = 2^-24 and S the sum of the terms'
//            magnitudes, a sum may be off by (32 + num_items / 1024) * u * S, which trees
//            over the sums of at least 1024 threads keep and one long chain of additions does not.
//            Rung 01 cannot choose its order: num_items * u * S
//   NaN      an item that is NaN makes the result NaN, unless said otherwise
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// d_out[0] = d_in[0] + ... + d_in[num_items - 1]; 0 without items.
//   d_in  (num_items)
//   d_out (1)
void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream);

// d_out[0] = the smallest item; +infinity without items. NaNs are skipped as fminf skips them: if
// nothing else is there, the result is that of no items. Which zero wins, -0 or +0, is not defined.
//   d_in  (num_items)
//   d_out (1)
void reduce_min(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream);

// d_out[0] = the largest item; -infinity without items. NaNs and zeros as in reduce_min.
void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream);

// d_out[0] = the product of all items; 1 without items. Relative error at most num_items * u, as
// long as no partial product overflows or becomes subnormal.
//   d_in  (num_items)
//   d_out (1)
void reduce_product(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream);

// d_out[0] = (sum of all items) / num_items; NaN without items, which have no mean.
//   d_in  (num_items)
//   d_out (1)
void reduce_mean(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream);

// d_out[0] = d_a[0] * d_b[0] + ... ; 0 without items. Multiply-adds may be fused.
//   d_a, d_b (num_items)  may be the same array
//   d_out    (1)
void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream);

// d_out[0] = sqrt(d_in[0]^2 + ...); 0 without items. The sum of squares must stay within float's
// range: no rescaling is necessary.
//   d_in  (num_items)
//   d_out (1)
void euclidean_norm(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream);

// d_out[0] = the index of the point farthest from the origin; of several, the smallest index; -1
// without points. A point with a NaN coordinate is never the farthest: if no other is there, -1.
// Squared distances x*x + y*y + z*z are compared as float: they are exact for whole coordinates up
// to 2048, and two points closer together than the rounding of that sum count as equally far.
//   d_x, d_y, d_z (num_points)  one array per coordinate, so that a warp reads neighbouring words
//   d_out         (1)
void farthest_point(const float* d_x, const float* d_y, const float* d_z, int num_points,
                    int* d_out, Scratch& scratch, cudaStream_t stream);

}  // namespace lab
