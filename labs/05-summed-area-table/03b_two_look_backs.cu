// SPDX-License-Identifier: MIT
// One kernel, one read and one write per pixel: blocks hand their tiles' edges to each other while
// the tiles stay in registers. Tiles and lanes are those of 03.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
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

struct Tile {
  int across, down;  // position, in tiles
};

// The ticket-th tile when a rectangle of tiles is walked diagonal by diagonal, from the top left.
__device__ Tile tile_of(int ticket, int tiles_across, int tiles_down) {
  // TODO 1. Begin with row by row, which is right, too. Why is it slower? Then: how many tiles lie
  //         on the first d diagonals, while they still grow? Which d has ticket t? The far corner
  //         is the near one, rotated.
  return {0, 0};
}

// One block per tile. up looks back over the tiles above, one column of words per column of pixels;
// left over the tiles to the left, one column of words per row of pixels.
template <class T>
__global__ void two_look_backs_kernel(const T* d_in, int width, int height, LookBack<T> up,
                                      LookBack<T> left, T* d_out) {
  // TODO 2. One thread draws a ticket for its block. Why is blockIdx no good for that?
  // TODO 3. Build the table of each warp's rows in registers, as in your 03. Each warp writes its
  //         last row to shared memory. Which sum of them is the tile's own last row?
  // TODO 4. Read lab/look_back.cuh. One thread per column hands out the word of the tile's last row
  //         and looks back over the tiles above, with exclusive_prefix_by_thread. What must the
  //         threads whose column is outside the picture do, and what must they not do?
  // TODO 5. One thread per row does the same to the left. What does it hand out, so that the corner
  //         comes along as in 03? So what must have happened before?
  // TODO 6. Why does the waiting end? What if up and left shared one set of words?
  // TODO 7. Add both to each pixel and write. Which barriers are there, and what is each for?
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("03b_two_look_backs: write the kernel and its one launch, then delete this line");

  // TODO 8. What does a picture without pixels need?
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);
  const LookBack<T> up(tiles_down, scratch, stream, width);
  const LookBack<T> left(tiles_across, scratch, stream, height);
  two_look_backs_kernel<<<tiles_across * tiles_down, kThreadsPerBlock, 0, stream>>>(
      d_in, width, height, up, left, d_out);
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
