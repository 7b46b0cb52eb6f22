// SPDX-License-Identifier: MIT
// The contract of lab 13-sparse. Rungs 01 to 03 each define multiply, rungs 04 and 05
// breadth_first. Not edited by students.
//
// Both functions take compressed sparse rows (CSR): what belongs to row r is at the places
// d_offsets[r] to d_offsets[r + 1] - 1 of the arrays with one item per nonzero or edge. So
// d_offsets has one item more than there are rows; the first is 0, and none is smaller than the one
// before. A row may be empty, and it may have all of the items.
//
// What holds for both:
//   inputs   device memory, read only, 256-byte aligned; may be null if they have no items
//   outputs  device memory, 256-byte aligned, overwritten; no overlap with the inputs
//   scratch  device memory for temporaries, contents undefined; Scratch::allocate<T>(count) throws
//            std::bad_alloc when it is used up
//   sizes    num_columns, num_rows + num_nonzeros and num_vertices + num_edges are at most 2^30
//   errors   lab::CudaError if a launch or a copy fails
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

// d_y[r] = the sum of d_values[k] * d_x[d_columns[k]] over the places k of row r: y = A x. 0 for an
// empty row. The columns of a row are in any order.
//   d_offsets  (num_rows + 1)
//   d_columns  (num_nonzeros)  each in [0, num_columns)
//   d_values   (num_nonzeros)  finite, as are their products with d_x
//   d_x        (num_columns)
//   d_y        (num_rows)
//   scratch    at least num_rows + num_nonzeros bytes plus 64 KiB
//   stream     all work is queued on it, and the host does not wait
// Error: the order of a sum is free, and every rounding of the n products and n sums of a row adds
// at most 2^-24 of what it rounds. So |d_y[r] - exact| <= (n + 1) * 2^-24 * s, where s is the sum
// of the products' absolute values. Where all numbers are small whole numbers, nothing is rounded.
void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int num_columns, int num_nonzeros, const float* d_x, float* d_y, Scratch& scratch,
              cudaStream_t stream);

constexpr int kUnreached = -1;

// d_distances[v] = the fewest edges on a way from `source` to v, or kUnreached if there is no way.
// The graph is undirected: an edge between v and w is listed as w among the neighbours of v, and as
// v among those of w. An edge may be listed twice, and a vertex may be its own neighbour.
//   d_offsets     (num_vertices + 1)
//   d_neighbours  (num_edges)  each in [0, num_vertices)
//   num_vertices  at least 1
//   source        in [0, num_vertices)
//   d_distances   (num_vertices)
//   scratch       at least 20 * num_vertices bytes plus 64 KiB
// There is no stream: use the default stream. The host may wait, since it must learn when to stop.
// The result need not be there on return: whatever follows in the default stream finds it.
void breadth_first(const int* d_offsets, const int* d_neighbours, int num_vertices, int num_edges,
                   int source, int* d_distances, Scratch& scratch);

}  // namespace lab
