// SPDX-License-Identifier: MIT
// The contract of lab 06-matmul. Every rung defines matmul; rung 02 also defines matmul_partial.
// Not edited by students.
//
// What holds for both:
//   matrices row-major without gaps: element (row, col) of a matrix with num_cols columns is
//            [row * num_cols + col]
//   inputs   device memory, read only, 256-byte aligned; may be null when they have no elements
//   output   device memory, 256-byte aligned, every element overwritten; no overlap with the inputs
//   scratch  64 KiB of device memory; no rung needs it
//   stream   all work is queued on it and the host does not wait
//   shapes   num_rows, num_cols and depth in [0, 2^18], no matrix with more than 2^30 elements.
//            Depth 0 is a sum of no terms: all elements of d_c become 0. Without rows or without
//            columns there is nothing to write
//   errors   lab::CudaError if a launch fails
//   NaN      and infinities go where the arithmetic takes them, and nowhere else: a NaN in row 3 of
//            A appears only in row 3 of C
//   rounding the terms may be added in any order, products and sums may be fused. With u = 2^-24
//            and S the sum of the magnitudes |a[row][k] * b[k][col]| over k, an element may be off
//            by gamma * S, gamma = depth * u / (1 - depth * u): each term is rounded at most once
//            as a product and depth - 1 times in sums (Higham, "Accuracy and Stability of Numerical
//            Algorithms", section 3.1). Factors rounded to the 11 bits of half or TF32, whose error
//            is 2^13 times u, miss this bound
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// C = A B: d_c[row][col] = the sum over k of d_a[row][k] * d_b[k][col].
//   d_a (num_rows, depth)
//   d_b (depth, num_cols)     may be the same memory as d_a
//   d_c (num_rows, num_cols)
void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& scratch, cudaStream_t stream);

// Rung 02: matmul in tiles of 2 x 2 that stops after num_tiles tiles along the depth. d_c holds the
// partial sums, those over k < 2 * num_tiles. With all ceil(depth / 2) tiles it is the product.
//   num_rows   [0, 2^16]: a grid has at most 65535 rows of blocks
//   num_tiles  [0, ceil(depth / 2)]
void matmul_partial(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                    int num_tiles, float* d_c, Scratch& scratch, cudaStream_t stream);

}  // namespace lab
