// SPDX-License-Identifier: MIT
// The contract of lab 11-stencil. Rungs 01 and 02 each define filter_line, rung 03 filter_picture,
// rung 04 filter_separable, rungs 05 and 06 seven_point, rung 07 seven_point_twice. Not edited by
// students.
//
// What holds for all of them:
//   points    of a line, a picture or a volume, row by row and plane by plane: point (x, y, z) is
//             item (z * height + y) * width + x; there is no padding
//   shapes    at most 2^30 points, any number from 0 on. A width, height or depth of a picture or a
//             volume is in [0, 2^16]; the width of a volume is a multiple of 4. Without points
//             nothing is written, and pointers may be null
//   outside   points outside the line, picture or volume count as 0
//   values    inputs and weights are whole numbers, so small that every sum of any products of a
//             call is exact, in any order
//   inputs    device memory, read only, 256-byte aligned
//   d_out     device memory, 256-byte aligned, every point overwritten; no overlap with the inputs
//   scratch   device memory for temporaries: at least 4 bytes per point plus 64 KiB, contents
//             undefined; Scratch::allocate<T>(count) throws std::bad_alloc when it is used up
//   stream    all work is queued on it and the host does not wait. Calls never overlap in time: one
//             stream, or streams ordered by events
//   errors    lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

constexpr int kRadius = 4;              // how far a filter reaches in each direction
constexpr int kTaps = 2 * kRadius + 1;  // its weights along one axis

// d_out(x) = the sum of d_weights[kRadius + i] * d_in(x + i) over i in [-kRadius, kRadius].
//   d_in, d_out  (num_points)
//   d_weights    (kTaps)
void filter_line(const float* d_in, int num_points, const float* d_weights, float* d_out,
                 Scratch& scratch, cudaStream_t stream);

// d_out(x, y) = the sum of weight(i, j) * d_in(x + i, y + j) over i and j in [-kRadius, kRadius],
// where weight(i, j) is d_weights[(kRadius + j) * kTaps + kRadius + i].
//   d_in, d_out  (height, width)
//   d_weights    (kTaps, kTaps)
void filter_picture(const float* d_in, int width, int height, const float* d_weights, float* d_out,
                    Scratch& scratch, cudaStream_t stream);

// The same, where weight(i, j) is d_column[kRadius + j] * d_row[kRadius + i].
//   d_in, d_out      (height, width)
//   d_row, d_column  (kTaps)  the weights along a row, and along a column
void filter_separable(const float* d_in, int width, int height, const float* d_row,
                      const float* d_column, float* d_out, Scratch& scratch, cudaStream_t stream);

// d_out(x, y, z) = centre * d_in(x, y, z) + neighbour * s, where s is the sum of d_in at the six
// points next to (x, y, z): one step along x, y or z.
//   d_in, d_out  (depth, height, width)
void seven_point(const float* d_in, int width, int height, int depth, float centre, float neighbour,
                 float* d_out, Scratch& scratch, cudaStream_t stream);

// seven_point of seven_point: two steps in time. Points outside count as 0 in both steps.
//   d_in, d_out  (depth, height, width)
void seven_point_twice(const float* d_in, int width, int height, int depth, float centre,
                       float neighbour, float* d_out, Scratch& scratch, cudaStream_t stream);

}  // namespace lab
