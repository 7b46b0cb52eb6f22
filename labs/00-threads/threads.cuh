// SPDX-License-Identifier: MIT
// The contract of lab 00-threads. Each rung defines one of the functions below. Not edited by
// students.
//
// What holds for all of them:
//   d_...    device memory, 256-byte aligned; inputs are read only, outputs are overwritten; no
//            array overlaps another. May be null where it has no items
//   h_...    host memory, likewise
//   stream   all work is queued on it, in order, and the host does not wait. A function without one
//            has the device to itself, and waits
//   errors   lab::CudaError if a launch or another CUDA call fails. The error is then reported and
//            no longer pending: the next cudaGetLastError() returns cudaSuccess
#pragma once

#include <cuda_runtime.h>

namespace lab {

// 00_hello: one launch of num_blocks blocks of threads_per_block threads. Each prints one line,
//   block 2, thread 5: 4711
// with its blockIdx.x, its threadIdx.x, and the item of d_numbers that has its number in the grid:
// threads are numbered block by block. The lines may come in any order. Nothing else is printed.
//   d_numbers (num_blocks * threads_per_block)
//   num_blocks at least 1, threads_per_block [1, 1024]; at most 4096 threads in all
void hello(const int* d_numbers, int num_blocks, int threads_per_block, cudaStream_t stream);

// 01_matrix_add: d_sum[row][column] = d_a[row][column] + d_b[row][column], by blocks of 16 x 16
// threads. Matrices are stored row by row (row-major), without gaps.
//   d_a, d_b, d_sum (height, width)
//   width    [0, 2^31 - 16]; height [0, 1048560], which is 65535 blocks of 16;
//            width * height < 2^31
void matrix_add(const float* d_a, const float* d_b, int width, int height, float* d_sum,
                cudaStream_t stream);

// 02_grid_stride: d_out[i] = factor * d_in[i], in one launch of num_blocks blocks of
// threads_per_block threads, whatever num_items is. With T threads in all, item i belongs to thread
// i % T, where threads are numbered through from the first of block 0 to the last of the last
// block. That number goes to d_thread[i], if d_thread is not null.
//   d_in, d_out (num_items)
//   d_thread    (num_items), or null: not asked for
//   num_blocks at least 1, threads_per_block [1, 1024]; num_items + T < 2^31
void scale(const float* d_in, int num_items, float factor, int num_blocks, int threads_per_block,
           float* d_out, int* d_thread, cudaStream_t stream);

// Where a thread is. x runs fastest, then y, then z: in a block of 4 x 3 threads, the thread at
// x = 1, y = 2 is number 9.
struct ThreadIds {
  int column;    // in x, counted through all blocks of the grid
  int row;       // in y
  int layer;     // in z
  int in_block;  // number within its block
  int block;     // number of its block within the grid
};

// 03_thread_ids: one launch of exactly this grid of exactly these blocks, each of one, two or three
// dimensions. Every thread stores its ThreadIds at d_ids[its global id]: threads are numbered block
// by block, in the order of `block`, and within a block in the order of `in_block`.
//   d_ids (all threads of the grid)
//   grid  every extent at least 1
//   block every extent at least 1, at most 1024 threads
void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream);

// 04_checked_launch: d_out[i] = first + i, in one launch of num_blocks blocks of threads_per_block
// threads with shared_bytes of dynamic shared memory (which the kernel does not use). A launch that
// cannot work (no blocks, no threads, more than 1024 threads, more shared memory than a block may
// have) is reported: lab::CudaError with the code that the launch failed with, d_out untouched.
//   d_out (num_items), num_items + num_blocks * threads_per_block < 2^31
void checked_fill(int first, int num_items, int num_blocks, int threads_per_block, int shared_bytes,
                  int* d_out, cudaStream_t stream);

// 05_host_flow: h_table[row][column] = h_left[row] * h_top[column], computed on the device. When it
// returns, h_table holds the result and all device memory is freed again.
//   h_left  (num_rows)              host, num_rows    [0, 1048560]
//   h_top   (num_columns)           host, num_columns [0, 2^24]
//   h_table (num_rows, num_columns) host, row-major; its size may not fit an int
//
// 05b_no_leak: the same function. All device memory is freed also when it throws, whichever call
// failed. If the device has no room: lab::CudaError with cudaErrorMemoryAllocation, h_table
// untouched.
void multiplication_table(const float* h_left, int num_rows, const float* h_top, int num_columns,
                          float* h_table);

// 06_device_query: d_out[i] = factor * d_in[i], in one launch of blocks of 256 threads. It has as
// many blocks as all multiprocessors of the device hold at the same time, by the threads that each
// of them holds; but no more than are needed for one thread per item. No items: no launch. The
// kernel stores its number of blocks, gridDim.x, in d_num_blocks[0].
//   d_in, d_out (num_items), num_items [0, 2^30]
//   d_num_blocks (1)
void fill_device(const float* d_in, int num_items, float factor, float* d_out, int* d_num_blocks,
                 cudaStream_t stream);

// 07_timed_launch: returns how many milliseconds one launch of the given kernel takes: the mean of
// num_launches launches in a row, by the clock of the device. Launches before these warm up, at
// least one, and are not timed.
//   d_items    (num_items)  overwritten, num_items [1, 2^30]
//   d_num_runs (1)          0 before; the kernel counts its launches here
//   num_launches [1, 1000]
float time_launch(float* d_items, int num_items, int num_launches, int* d_num_runs);

}  // namespace lab
