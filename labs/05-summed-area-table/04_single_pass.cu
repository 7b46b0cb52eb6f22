// SPDX-License-Identifier: MIT
// 03b with four neighbouring pixels per lane: 16 bytes per lane and load, and larger tiles, which
// hand on fewer words per pixel.
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
constexpr int kItemsPerLane = 4;  // neighbours in a row: one 16-byte load
constexpr int kTileWidth = kWarpSize * kItemsPerLane;
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;

// TODO 1. Tile and tile_of are your 03b's.

// Four neighbouring pixels: int4 or float4.
template <class T>
struct VectorOf;
template <>
struct VectorOf<int> {
  using Type = int4;
};
template <>
struct VectorOf<float> {
  using Type = float4;
};
template <class T>
using Vector = typename VectorOf<T>::Type;

// Returns the pixels x ... x + 3 of row y; outside the picture: 0.
template <bool kWholeVectors, class T>
__device__ Vector<T> load(const T* d_in, int width, int height, int x, int y) {
  // TODO 2. kWholeVectors: every row starts on 16 bytes. For which widths is that so? What can a
  //         vector not do then that single words can do: lie half inside the picture?
  return {};
}

// One block per tile. up looks back over the tiles above, one column of words per column of pixels;
// left over the tiles to the left, one column of words per row of pixels.
template <bool kWholeVectors, class T>
__global__ void single_pass_kernel(const T* d_in, int width, int height, LookBack<T> up,
                                   LookBack<T> left, T* d_out) {
  // TODO 3. A lane has four pixels of a row. Add them up first, then scan the lanes' last sums.
  //         What does a lane add to each of its four?
  // TODO 4. The warps' last rows are vectors in shared memory, but one thread per column still
  //         looks back. How does thread t read its word? Are there bank conflicts?
  // TODO 5. The last column of the tile is in one register of each row: in which lane's?
  // TODO 6. Write int4 and float4. The picture and the table are used once, and the words of the
  //         look-back again and again: what do __ldcs and __stcs change?
  // TODO 7. How many registers hold pixels, and how many blocks fit a multiprocessor? Look up
  //         __launch_bounds__. How many words per pixel does a tile of 128 x 64 hand on, and how
  //         many a tile of 128 x 128?
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("04_single_pass: write the kernel and its one launch, then delete this line");

  // TODO 8. When may the vectors be whole?
  const bool whole_vectors = false;
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);
  const LookBack<T> up(tiles_down, scratch, stream, width);
  const LookBack<T> left(tiles_across, scratch, stream, height);
  const auto kernel = whole_vectors ? single_pass_kernel<true, T> : single_pass_kernel<false, T>;
  kernel<<<tiles_across * tiles_down, kThreadsPerBlock, 0, stream>>>(d_in, width, height, up, left,
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
