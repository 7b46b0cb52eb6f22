// SPDX-License-Identifier: MIT
// Sums along the rows, one thread per row; then the sums of those down the columns, one thread per
// column. Right for every shape.
// Cost: two reads and two writes per pixel; in the row pass a warp touches 32 rows at a time: 32
// sectors per request, of which it uses an eighth. F. Crow, "Summed-Area Tables", SIGGRAPH 1984.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;

// d_out(x, y) = d_in(0, y) + ... + d_in(x, y). d_in, d_out: (height, width); one thread per row.
template <class T>
__global__ void rows_kernel(const T* d_in, int width, int height, T* d_out) {
  const int y = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (y >= height) return;
  T sum = 0;
  for (int x = 0; x < width; ++x) {  // neighbouring threads are `width` items apart
    sum += d_in[y * width + x];
    d_out[y * width + x] = sum;
  }
}

// d_table(x, y) becomes d_table(x, 0) + ... + d_table(x, y). (height, width); a thread per column.
template <class T>
__global__ void columns_kernel(T* d_table, int width, int height) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= width) return;
  T sum = 0;
  for (int y = 0; y < height; ++y) {  // neighbouring threads read neighbouring items
    sum += d_table[y * width + x];
    d_table[y * width + x] = sum;
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  if (width == 0 || height == 0) return;  // a grid of 0 blocks is an error
  const int row_blocks = ceil_div(height, kThreadsPerBlock);
  rows_kernel<<<row_blocks, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_out);
  check_launch();
  // The stream runs one kernel after the other: all rows are done before a column begins.
  const int column_blocks = ceil_div(width, kThreadsPerBlock);
  columns_kernel<<<column_blocks, kThreadsPerBlock, 0, stream>>>(d_out, width, height);
  check_launch();
}

}  // namespace

void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& /*scratch*/,
                       cudaStream_t stream) {
  build_table(d_in, width, height, d_out, stream);
}

void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& /*scratch*/, cudaStream_t stream) {
  build_table(d_in, width, height, d_out, stream);
}

}  // namespace lab
