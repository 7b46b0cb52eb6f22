// SPDX-License-Identifier: MIT
// Rows, transpose, rows, transpose: every pass reads and writes neighbouring words.
// New: a warp scans a row, 128 items at a time; a tile in shared memory turns rows into columns.
// Cost: four reads and four writes per pixel: at most a quarter of the copy bandwidth. The column
// pass of 01 was coalesced already: this pays where rows are the only thing that one can scan fast.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpsPerBlock = 8;
constexpr int kLoadsInFlight = 4;   // items of a row that a lane has under way
constexpr int kTransposeTile = 32;  // as wide as a warp

// Returns the sum of this lane's value and those of the lanes before. All 32 lanes must call.
template <class T>
__device__ T inclusive_warp_scan(T value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const T before = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += before;
  }
  return value;
}

// d_out(x, y) = d_in(0, y) + ... + d_in(x, y). d_in, d_out: (height, width); one warp per row.
template <class T>
__global__ void rows_kernel(const T* d_in, int width, int height, T* d_out) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int y = blockIdx.x * kWarpsPerBlock + threadIdx.x / kWarpSize;
  if (y >= height) return;  // a whole warp
  const T* d_row = d_in + y * width;
  T* d_out_row = d_out + y * width;

  T carry = 0;  // the sum of all items before this step's
  for (int begin = 0; begin < width; begin += kLoadsInFlight * kWarpSize) {
    T items[kLoadsInFlight];
#pragma unroll
    for (int k = 0; k < kLoadsInFlight; ++k) {
      const int x = begin + k * kWarpSize + lane_id;
      items[k] = x < width ? d_row[x] : T{0};
    }
#pragma unroll
    for (int k = 0; k < kLoadsInFlight; ++k) {
      const int x = begin + k * kWarpSize + lane_id;
      const T sum = carry + inclusive_warp_scan(items[k]);
      if (x < width) d_out_row[x] = sum;
      carry = __shfl_sync(kFullWarp, sum, kWarpSize - 1);
    }
  }
}

// d_out(y, x) = d_in(x, y). d_in: (height, width), d_out: (width, height); one block per tile.
template <class T>
__global__ void transpose_kernel(const T* d_in, int width, int height, T* d_out) {
  // One column of padding puts the words of a column into different banks.
  __shared__ T tile[kTransposeTile][kTransposeTile + 1];
  const int tiles_across = ceil_div(width, kTransposeTile);
  const int x0 = blockIdx.x % tiles_across * kTransposeTile;
  const int y0 = blockIdx.x / tiles_across * kTransposeTile;
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  for (int row = warp_id; row < kTransposeTile; row += kWarpsPerBlock) {
    const int x = x0 + lane_id;
    const int y = y0 + row;
    if (x < width && y < height) tile[row][lane_id] = d_in[y * width + x];
  }
  __syncthreads();  // a warp now reads what 32 rows' warps wrote
  for (int column = warp_id; column < kTransposeTile; column += kWarpsPerBlock) {
    const int x = x0 + column;
    const int y = y0 + lane_id;
    if (x < width && y < height) d_out[x * height + y] = tile[lane_id][column];
  }
}

template <class T>
void scan_rows(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  const int num_blocks = ceil_div(height, kWarpsPerBlock);
  rows_kernel<<<num_blocks, kWarpsPerBlock * kWarpSize, 0, stream>>>(d_in, width, height, d_out);
  check_launch();
}

template <class T>
void transpose(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  // One dimension of blocks: the grid's second one ends at 65535, a picture's height does not.
  const int num_blocks = ceil_div(width, kTransposeTile) * ceil_div(height, kTransposeTile);
  transpose_kernel<<<num_blocks, kWarpsPerBlock * kWarpSize, 0, stream>>>(d_in, width, height,
                                                                          d_out);
  check_launch();
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  T* d_swap = scratch.allocate<T>(static_cast<std::size_t>(width) * height);
  scan_rows(d_in, width, height, d_swap, stream);
  transpose(d_swap, width, height, d_out, stream);  // d_out: (width, height) for a while
  scan_rows(d_out, height, width, d_swap, stream);
  transpose(d_swap, height, width, d_out, stream);
}

}  // namespace

void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& scratch,
                       cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& scratch, cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

}  // namespace lab
