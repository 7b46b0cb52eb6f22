// SPDX-License-Identifier: MIT
// The second part of the contract of lab 07-scheduling: what rungs 05 to 08 define. Include
// scheduling.cuh.
//
// What holds for all of them:
//   d_...    device memory, 256-byte aligned; inputs are read only, outputs are overwritten; no
//            array overlaps another. May be null where it has no items
//   h_...    host memory, likewise
//   stream   all work is queued on it, in order, and the host does not wait
//   errors   lab::CudaError if a launch fails
//   plain functions, without a stream, run on the host and use no device
#pragma once

#include <cuda_runtime.h>

namespace lab {

// ---- 05_divergence

// Which threads of a block are active in a step of a tree.
enum class Tree {
  kInterleaved,  // t % stride == 0, for the strides 1, 2, 4, ... up to num_threads
  kContiguous,   // t < stride, for the same strides, the longest first
};

// How many warps of a block diverge in each step: some of the warp's threads are active, and some
// are not. The last warp may have fewer than 32 threads; missing threads do not count.
//   num_threads [1, 1024]
//   h_warps     (number of strides) one number per step, in the order of the steps
void divergent_warps(int num_threads, Tree tree, int* h_warps);

// Which polynomial to evaluate at which place.
struct alignas(8) Sample {
  float x;
  int kind;  // [0, kNumKinds)
};
inline constexpr int kNumKinds = 4;
inline constexpr int kNumTerms = 8;

struct alignas(8) Curve {
  float value;  // the polynomial's
  float slope;  // its derivative's
};

// d_curves[i]: the polynomial of kind d_samples[i].kind, and its derivative, at d_samples[i].x. The
// polynomial of a kind is the sum of d_coefficients[kind][j] * x^j over j.
//   d_samples      (num_samples)
//   d_coefficients (kNumKinds, kNumTerms), row-major
//   d_curves       (num_samples)
//   num_samples    [0, 2^29)
// The judge's numbers are whole, and so small that every order of operations gives the same bits.
void evaluate_curves(const Sample* d_samples, int num_samples, const float* d_coefficients,
                     Curve* d_curves, cudaStream_t stream);

// ---- 06_barrier

// Rows of cells, each 1 (free) or 0 (a wall). Free cells side by side in a row are a run.
// d_labels[row][i] is 0 for a wall, and else the number of the last cell of its run, counted from
// 1: [1 1 0 0 1 1 1] becomes [2 2 0 0 7 7 7]. d_num_runs[row] is how many runs there are: here 2.
//   d_cells    (num_rows, row_length), row-major
//   d_labels   (num_rows, row_length)
//   d_num_runs (num_rows)
//   num_rows   [0, 2^20], row_length [0, 1024]
void label_runs(const int* d_cells, int num_rows, int row_length, int* d_labels, int* d_num_runs,
                cudaStream_t stream);

// ---- 07_coalescing

// What one request of a warp costs.
struct AccessCost {
  int num_sectors;    // blocks of 32 bytes that it touches
  bool is_coalesced;  // they are at most as many as 32 adjacent elements fill from the
                      // beginning of a sector
};

// The thread at (tx, ty) of a block reads element offset + tx * stride_x + ty * stride_y of an
// array that begins at a multiple of 256 bytes. Returns what the request of the block's first warp
// costs.
//   element_bytes      1, 2, 4, 8 or 16: no element lies in two sectors
//   offset             [0, 2^20]
//   stride_x, stride_y [-1024, 2^16], in elements; no index is negative
//   block_width        threads of the block in x, [1, 1024]; in y there are enough for a full warp
AccessCost classify_access(int element_bytes, int offset, int stride_x, int stride_y,
                           int block_width);

struct MatmulCost {
  AccessCost a;
  AccessCost b;
  AccessCost c;
};

// The three accesses of a naive product of square row-major float matrices,
//   C[row * width + column] += A[row * width + k] * B[k * width + column],
// by the first warp of block (0, 0), in the step k = 0.
//   width         [64, 4096]
//   block_width   of a block of block_width x (256 / block_width) threads: 4, 8, 16, 32 or 64
//   column_from_x true: column is threadIdx.x and row threadIdx.y; false: the other way round
MatmulCost classify_matmul(int width, int block_width, bool column_from_x);

// An array of structures becomes a structure of arrays: d_x[i] is the x of point i, and so on.
//   d_points      (num_points, 3): x, y and z of point 0, x, y and z of point 1, ...
//   d_x, d_y, d_z (num_points)
//   num_points    [0, 2^29)
void split_points(const float* d_points, int num_points, float* d_x, float* d_y, float* d_z,
                  cudaStream_t stream);

// ---- 07b_softmax_rows

// How a grid of blocks of block.x * block.y threads handles rows of floats: block.x threads share
// a row, and a block has block.y rows.
struct RowPlan {
  int num_blocks;        // just enough for all rows
  int warps_per_block;   // a part of a warp counts as one
  int items_per_thread;  // of a row, for the thread that has most
  bool may_use_float4;   // every row begins at a multiple of 16 bytes and has whole vectors
  bool needs_barrier;    // the threads of some row are in more than one warp: shuffles alone do not
                         // reduce it
};

// Rows without gaps, from an address that is a multiple of 256.
//   num_rows, row_length at least 1; num_rows * row_length < 2^31
//   block                at most 1024 threads; block.z is 1
RowPlan plan_rows(int num_rows, int row_length, dim3 block);

// ---- 07b_softmax_rows, 07c_online_softmax, 07d_register_rows, 08_softmax

// d_out[row][i] = exp(d_in[row][i] - m) / (sum over j of exp(d_in[row][j] - m)), where m is the
// row's largest item. Without the subtraction the result would be the same, if exp did not
// overflow.
//   d_in, d_out (num_rows, row_length), row-major, without gaps
//   num_rows, row_length [0, 2^31), num_rows * row_length < 2^31
// Items may have any value, -3e38 and 3e38 in one row, too. The share of -infinity is 0. A row
// whose items are all -infinity, or that has a NaN or +infinity, becomes NaN throughout.
// Error: of an item that is d below its row's maximum, the share may be off by a factor of 1 + e,
// |e| <= (64 + 4 d + row_length / 32) * 2^-24, and by 2^-126. Its exponent is rounded when m is
// subtracted, and twice when it is scaled to base 2 or e: 3 d * 2^-24. The power itself and the
// division are off by a few units. A rescaled sum rounds a few times per item, in
// chains of row_length / 256 items, one per thread, and then in a tree.
void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream);

}  // namespace lab
