// SPDX-License-Identifier: MIT
// The picture in tiles: a tile's own table, plus what lies above, plus what lies left.
// Two reads and one write per pixel: the tables are built twice, and only their edges are kept
// between.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kNumWarps = 8;
constexpr int kThreadsPerBlock = kNumWarps * kWarpSize;
constexpr int kRowsPerWarp = 8;
constexpr int kTileWidth = kWarpSize;  // lane l holds column l of its warp's rows
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;

// Returns the sum of this lane's value and those of the lanes before. All 32 lanes must call.
template <class T>
__device__ T inclusive_warp_scan(T value) {
  // TODO 1. As in your 02.
  return value;
}

// Leaves in sums[i] the table of tile (x0, y0) by itself, at its column lane_id and its row
// warp_id * kRowsPerWarp + i. Pixels outside the picture count as 0. All threads must call.
template <class T>
__device__ void build_tile(const T* d_in, int width, int height, int x0, int y0,
                           T (&sums)[kRowsPerWarp]) {
  // TODO 2. Load kRowsPerWarp pixels of this lane's column. #pragma unroll keeps sums in registers.
  // TODO 3. Scan along each row with the warp; then add down the rows, which needs no other lane.
  // TODO 4. Now each warp has the table of its own rows. What must be added to them, where do you
  //         put it so that all warps see it, and what must lie between writing and reading?
  for (T& sum : sums) sum = 0;
}

// Writes the last row of each tile's own table to d_up (tiles down, width) and its last column to
// d_left (tiles across, height). One block per tile.
template <class T>
__global__ void edges_kernel(const T* d_in, int width, int height, T* d_up, T* d_left) {
  // TODO 5. Which tile is block blockIdx.x's, if they are counted row by row?
  T sums[kRowsPerWarp];
  build_tile(d_in, width, height, 0, 0, sums);
  // TODO 6. Which threads hold the last row, and which the last column? Which columns and rows of
  //         the last tiles are outside the picture?
}

// d_up(x, tile_y) becomes the sum of that column's words of all tiles above. One thread per column.
template <class T>
__global__ void above_kernel(int width, int tiles_down, T* d_up) {
  // TODO 7. An exclusive scan down each column, in place.
}

// d_left(y, tile_x) becomes the sum of all pixels left of the tile, from the picture's top down to
// row y. One thread per row.
template <class T>
__global__ void left_kernel(int width, int height, int tiles_across, const T* d_up, T* d_left) {
  // TODO 8. Draw a tile with two tiles left of it and two rows of tiles above. Which part of the
  //         picture do the last columns of the tiles to the left sum, and which part is missing?
  //         Which word of d_up has it?
  // TODO 9. An exclusive scan along each row of tiles of the two together, in place.
}

// Writes the table: each tile's own, plus what lies above it (d_up), plus what lies left (d_left).
template <class T>
__global__ void tiles_kernel(const T* d_in, int width, int height, const T* d_up, const T* d_left,
                             T* d_out) {
  // TODO 10. Build the tile again, add two words to each pixel, write.
  T sums[kRowsPerWarp];
  build_tile(d_in, width, height, 0, 0, sums);
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("03_tiled: write the kernels and their launches, then delete this line");

  // TODO 11. The four numbers of blocks. What about a picture without pixels?
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);
  T* d_up = scratch.allocate<T>(static_cast<std::size_t>(tiles_down) * width);
  T* d_left = scratch.allocate<T>(static_cast<std::size_t>(tiles_across) * height);
  const int num_blocks = 1;
  edges_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_up, d_left);
  check_launch();
  above_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(width, tiles_down, d_up);
  check_launch();
  left_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(width, height, tiles_across, d_up,
                                                           d_left);
  check_launch();
  tiles_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_up, d_left,
                                                            d_out);
  check_launch();
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
