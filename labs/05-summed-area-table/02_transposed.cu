// SPDX-License-Identifier: MIT
// Rows, transpose, rows, transpose: one fast kernel for rows serves the columns too.
// Every pass reads and writes neighbouring words, in exchange for two passes more.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kWarpsPerBlock = 8;
constexpr int kTransposeTile = 32;  // as wide as a warp

// Returns the sum of this lane's value and those of the lanes before. All 32 lanes must call.
template <class T>
__device__ T inclusive_warp_scan(T value) {
  // TODO 1. __shfl_up_sync(mask, value, offset) returns the value of the lane `offset` before this
  //         one. Five steps, at offsets 1, 2, 4, 8, 16. Which lanes must not add in a step?
  return value;
}

// d_out(x, y) = d_in(0, y) + ... + d_in(x, y). d_in, d_out: (height, width); one warp per row.
template <class T>
__global__ void rows_kernel(const T* d_in, int width, int height, T* d_out) {
  // TODO 2. A warp scans 32 items of its row at a time. What must every lane know about the items
  //         before, and which lane knows it?
  // TODO 3. All lanes take part in every shuffle, also those past the end of the row. Which value
  //         do they bring?
  // TODO 4. One load in flight per lane is too few. Load the items of four steps before you scan
  //         the first of them.
}

// d_out(y, x) = d_in(x, y). d_in: (height, width), d_out: (width, height); one block per tile.
template <class T>
__global__ void transpose_kernel(const T* d_in, int width, int height, T* d_out) {
  // TODO 5. Without shared memory either the read or the write is strided. Which words does a warp
  //         read, and which does it write, if a tile of 32 x 32 passes through shared memory?
  // TODO 6. Where does the barrier go, and what does it separate?
  // TODO 7. A warp reads a column of the tile: into which banks do its 32 words fall? What does one
  //         more column in the declaration change?
  // TODO 8. Which index has pixel (x, y) after the transpose? Try it with a picture of 3 x 2.
}

template <class T>
void scan_rows(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  // TODO 9. How many blocks for one warp per row?
  const int num_blocks = 1;
  rows_kernel<<<num_blocks, kWarpsPerBlock * kWarpSize, 0, stream>>>(d_in, width, height, d_out);
  check_launch();
}

template <class T>
void transpose(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  // TODO 10. How many tiles? A grid's second dimension ends at 65535: count blocks in one dimension
  //          and work out the tile's place from blockIdx.x.
  const int num_blocks = 1;
  transpose_kernel<<<num_blocks, kWarpsPerBlock * kWarpSize, 0, stream>>>(d_in, width, height,
                                                                          d_out);
  check_launch();
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("02_transposed: write the kernels and their launches, then delete this line");

  // TODO 11. Two scans and two transposes. No kernel can work in place: which buffer is read and
  //          which written by each of the four, and what are width and height at that point?
  T* d_swap = scratch.allocate<T>(static_cast<std::size_t>(width) * height);
  scan_rows(d_in, width, height, d_swap, stream);
  transpose(d_swap, width, height, d_out, stream);
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
