// SPDX-License-Identifier: MIT
// The contract of lab 08-tensor-cores. Rungs 01 to 04 and 07 define matmul_bf16, rung 05
// defines matmul_split, and rung 06 defines quantize_e4m3 and matmul_e4m3. Not edited by students.
//
// What holds for all:
//   matrices row-major without gaps: element (row, col) of a matrix with num_cols columns is
//            [row * num_cols + col]
//   inputs   device memory, read only, 256-byte aligned; may be null when they have no elements
//   outputs  device memory, 256-byte aligned, every element overwritten; no overlap with the inputs
//   stream   all work is queued on it and the host does not wait
//   shapes   num_rows, num_cols and depth are multiples of 16 in [0, 2^18]; no matrix has more than
//            2^28 elements. So every row starts on 16 bytes, and no 16 x 16 tile is cut by an edge.
//            Depth 0 is a sum of no terms: all elements of d_c become 0. Without rows or without
//            columns there is nothing to write
//   errors   lab::CudaError if a launch fails
//   rounding S is the sum of the magnitudes of an element's terms, u = 2^-24. One instruction of a
//            tensor core adds 4 or more products to a sum. NVIDIA does not document how; measured,
//            each addend is cut below the last bit of the largest, and the result is cut once more
//            (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores",
//            PeerJ Computer Science 7:e330, 2021). Each cut is at most 2 u S. That makes (4 + 2) *
//            2 u S for 4 products, so at most 3 u S per product. Products of two bfloat16 are
//            exact. So an element may be off by gamma * S, gamma = 3 * depth * u / (1 - 3 * depth *
//            u)
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// C = A B: d_c[row][col] = the sum over k of d_a[row][k] * d_b[k][col].
//   d_a (num_rows, depth)
//   d_b (depth, num_cols)     may be the same memory as d_a
//   d_c (num_rows, num_cols)
//   scratch  64 KiB; no rung needs it
// NaN and infinities go where the arithmetic takes them, and nowhere else.
void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& scratch, cudaStream_t stream);

// Rung 05: C = A B for floats. An element may be off by (2^-14 + 10 * depth * u) * S.
//   high(x) = x rounded to bfloat16, low(x) = x - high(x), rounded to bfloat16. A bfloat16
//   has 8 significant bits, so a rounding is off by at most 2^-8 of its number: |low| <= 2^-8
//   (1 + 2^-8) |x| and |x - high - low| <= 2^-16 |x|. Three of the four products of parts, high
//   high + high low + low high, miss low low and two such remainders: less than 4 * 2^-16 = 2^-14
//   of |a b|. The sum has 3 * depth terms, and their magnitudes add up to less than 1.02 S. So 3 u
//   for each makes less than 10 * depth * u * S.
//   elements  0, or of a magnitude in [2^-60, 2^60]
//   scratch   6 bytes for each element of d_a and of d_b, and 64 KiB
void matmul_split(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  float* d_c, Scratch& scratch, cudaStream_t stream);

// Rung 06: each row of x as numbers of 8 bits and one scale: x[row][k] is about
// d_scales[row] * d_q[row][k].
//   d_x      (num_rows, depth)  finite, each 0 or of a magnitude in [2^-60, 2^60]
//   d_q      (num_rows, depth)  x[row][k] / d_scales[row], rounded to the nearest e4m3
//   d_scales (num_rows)         the row's largest magnitude, divided by 448, the largest e4m3;
//                               1 for a row of zeros. Off by at most 2^-22 of its value
//   scratch  64 KiB; no rung needs it
void quantize_e4m3(const float* d_x, int num_rows, int depth, __nv_fp8_e4m3* d_q, float* d_scales,
                   Scratch& scratch, cudaStream_t stream);

// Rung 06: d_c[row][col] = d_a_scales[row] * d_b_scales[col] * the sum over k of
// d_a[row][k] * d_b[col][k]. B comes by columns: a row of d_b is a column of B.
//   d_a (num_rows, depth)     no NaN
//   d_b (num_cols, depth)     no NaN; may be the same memory as d_a
//   d_a_scales (num_rows), d_b_scales (num_cols)   in [2^-40, 2^40]
//   d_c (num_rows, num_cols)
//   scratch  64 KiB; no rung needs it
// S includes the scales. Some tensor cores keep only 14 bits of a sum of e4m3 products, so a cut is
// at most 2^-13 S (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, section 3.3.2). An
// instruction adds 16 or more products: (16 + 2) / 16 cuts per product. The scales add three
// roundings. An element may be off by (1.125 * depth * 2^-13 + 4 u) * S.
void matmul_e4m3(const __nv_fp8_e4m3* d_a, const float* d_a_scales, const __nv_fp8_e4m3* d_b,
                 const float* d_b_scales, int num_rows, int num_cols, int depth, float* d_c,
                 Scratch& scratch, cudaStream_t stream);

}  // namespace lab
