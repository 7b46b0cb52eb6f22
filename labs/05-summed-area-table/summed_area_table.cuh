// SPDX-License-Identifier: MIT
// The contract of lab 05-summed-area-table. Rungs 01 to 04 each define summed_area_table and
// summed_area_table_float, rung 05 box_filter, rung 06 depth_of_field. Not edited by students.
//
// What holds for all of them:
//   pictures  row-major: pixel (x, y), x in [0, width), y in [0, height), is item y * width + x;
//             there is no padding between rows
//   shapes    any width and height >= 0 with width * height < 2^31. Without pixels nothing is
//             written, and pointers may be null
//   inputs    device memory, read only, 256-byte aligned
//   output    device memory, 256-byte aligned, every pixel overwritten; no overlap with the inputs
//   scratch   device memory for temporaries: at least 4 * width * height + 16 * (width + height)
//             bytes plus 64 KiB, contents undefined; Scratch::allocate<T>(count) throws
//             std::bad_alloc when it is used up
//   stream    all work is queued on it and the host does not wait. Calls never overlap in time: one
//             stream, or streams ordered by events
//   errors    lab::CudaError if a launch fails
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// d_out(x, y) = the sum of all d_in(i, j) with i <= x and j <= y: both ends are included. The
// magnitudes of all pixels together stay below 2^31, so no sum of any of them overflows.
//   d_in, d_out  (height, width)
void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& scratch,
                       cudaStream_t stream);

// The same for real numbers, which may be added in any order. With u = 2^-24 and S(x, y) the sum of
// the magnitudes of the pixels that d_out(x, y) sums, it may be off by
//   (width + height + 64) * u * S(x, y),
// which one addition a pixel along the row and then one along the column already keeps.
//   d_in, d_out  (height, width)
void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& scratch, cudaStream_t stream);

// d_out(x, y) = the mean of the picture's pixels in a window around (x, y): the columns from
// x - (window_width - 1) / 2 to x + window_width / 2 and the rows from y - (window_height - 1) / 2
// to y + window_height / 2, as far as they lie in the picture: the mean is over those pixels alone.
//   d_table        (height, width)  the picture's summed-area table; sums as in summed_area_table
//   window_width   >= 1, as is window_height: even, odd, or larger than the picture
//   d_out          (height, width)  within 5 * 2^-24 of the mean, relatively: sum, count, and their
//                                   quotient may round
void box_filter(const int* d_table, int width, int height, int window_width, int window_height,
                float* d_out, Scratch& scratch, cudaStream_t stream);

// Blurs each pixel by how far its depth is from the depth in focus. Depth comes as nearness, which
// is 1 / distance, scaled to 0 (infinitely far) ... 255 (nearest): the circle into which a thin
// lens blurs a point is in proportion to the difference of the nearnesses. With
//   radius = abs(nearness(x, y) - focus) * max_radius / 255      in integers, rounded down
// each colour of d_out(x, y) is the mean of that colour over the columns x - radius ... x + radius
// and the rows y - radius ... y + radius, as far as they lie in the picture, rounded to the nearest
// integer: (sum + count / 2) / count, in integers.
//   d_tables    (3, height, width)  the tables of the red, the green and the blue plane, one after
//                                   the other
//   d_nearness  (height, width)
//   focus       0 ... 255: the nearness that stays sharp
//   max_radius  0 ... 4096, in pixels
//   d_out       (height, width, 3)  red, green, blue of each pixel
void depth_of_field(const int* d_tables, const unsigned char* d_nearness, int width, int height,
                    int focus, int max_radius, unsigned char* d_out, Scratch& scratch,
                    cudaStream_t stream);

}  // namespace lab
