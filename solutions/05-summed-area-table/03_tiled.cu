// SPDX-License-Identifier: MIT
// Tiles that fit a block's registers: a tile's own table, plus what lies above, plus what lies
// left. New: two reads and one write per pixel. The first kernel keeps only a tile's last row and
// last column; two small kernels add those up over the tiles; the last kernel builds the tables
// again. Source: A. Kasagi, K. Nakano, Y. Ito, the "2R1W" algorithm, ICPP 2014.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kNumWarps = 8;
constexpr int kThreadsPerBlock = kNumWarps * kWarpSize;
constexpr int kRowsPerWarp = 8;
constexpr int kTileWidth = kWarpSize;  // lane l holds column l of its warp's rows
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;
constexpr int kLoadsInFlight = 8;

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

// Leaves in sums[i] the table of tile (x0, y0) by itself, at its column lane_id and its row
// warp_id * kRowsPerWarp + i. Pixels outside the picture count as 0. All threads must call.
template <class T>
__device__ void build_tile(const T* d_in, int width, int height, int x0, int y0,
                           T (&sums)[kRowsPerWarp]) {
  __shared__ T bottoms[kNumWarps][kTileWidth];  // the last row of each warp's sums
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int x = x0 + lane_id;
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {  // eight loads under way
    const int y = y0 + warp_id * kRowsPerWarp + i;
    sums[i] = x < width && y < height ? d_in[y * width + x] : T{0};
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    sums[i] = inclusive_warp_scan(sums[i]);
    if (i > 0) sums[i] += sums[i - 1];
  }
  bottoms[warp_id][lane_id] = sums[kRowsPerWarp - 1];
  __syncthreads();  // each warp reads the last rows of all warps above it
  T above = 0;
  for (int warp = 0; warp < warp_id; ++warp) above += bottoms[warp][lane_id];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) sums[i] += above;
}

// Writes the last row of each tile's own table to d_up (tiles down, width) and its last column to
// d_left (tiles across, height). One block per tile.
template <class T>
__global__ void edges_kernel(const T* d_in, int width, int height, T* d_up, T* d_left) {
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tile_x = blockIdx.x % tiles_across;
  const int tile_y = blockIdx.x / tiles_across;
  T sums[kRowsPerWarp];
  build_tile(d_in, width, height, tile_x * kTileWidth, tile_y * kTileHeight, sums);

  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int x = tile_x * kTileWidth + lane_id;
  if (warp_id == kNumWarps - 1 && x < width) d_up[tile_y * width + x] = sums[kRowsPerWarp - 1];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    const int y = tile_y * kTileHeight + warp_id * kRowsPerWarp + i;
    if (lane_id == kWarpSize - 1 && y < height) d_left[tile_x * height + y] = sums[i];
  }
}

// Word k of a line, d_line[k * stride], becomes own(0) + ... + own(k - 1), for all k < count.
template <class T, class Own>
__device__ void scan_line(T* d_line, int stride, int count, Own own) {
  T sum = 0;
  for (int begin = 0; begin < count; begin += kLoadsInFlight) {
    T owns[kLoadsInFlight];  // read before the first is overwritten: so the loads need not wait
#pragma unroll
    for (int i = 0; i < kLoadsInFlight; ++i) {
      owns[i] = begin + i < count ? own(begin + i) : T{0};
    }
#pragma unroll
    for (int i = 0; i < kLoadsInFlight; ++i) {
      if (begin + i < count) d_line[(begin + i) * stride] = sum;
      sum += owns[i];
    }
  }
}

// d_up(x, tile_y) becomes the sum of that column's words of all tiles above. One thread per column.
template <class T>
__global__ void above_kernel(int width, int tiles_down, T* d_up) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= width) return;
  scan_line(d_up + x, width, tiles_down, [=](int tile_y) { return d_up[tile_y * width + x]; });
}

// d_left(y, tile_x) becomes the sum of all pixels left of the tile, from the picture's top down to
// row y: the last columns of the tiles to the left, and what lies above those. One thread per row.
template <class T>
__global__ void left_kernel(int width, int height, int tiles_across, const T* d_up, T* d_left) {
  const int y = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (y >= height) return;
  const T* d_above = d_up + y / kTileHeight * width;  // (width), of the tiles of this row
  scan_line(d_left + y, height, tiles_across, [=](int tile_x) {
    const int last_x = min((tile_x + 1) * kTileWidth, width) - 1;
    return d_left[tile_x * height + y] + d_above[last_x];
  });
}

// Writes the table: each tile's own, plus what lies above it (d_up), plus what lies left (d_left).
template <class T>
__global__ void tiles_kernel(const T* d_in, int width, int height, const T* d_up, const T* d_left,
                             T* d_out) {
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tile_x = blockIdx.x % tiles_across;
  const int tile_y = blockIdx.x / tiles_across;
  T sums[kRowsPerWarp];
  build_tile(d_in, width, height, tile_x * kTileWidth, tile_y * kTileHeight, sums);

  const int x = tile_x * kTileWidth + threadIdx.x % kWarpSize;
  if (x >= width) return;
  const T above = d_up[tile_y * width + x];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    const int y = tile_y * kTileHeight + threadIdx.x / kWarpSize * kRowsPerWarp + i;
    if (y < height) d_out[y * width + x] = sums[i] + above + d_left[tile_x * height + y];
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);
  T* d_up = scratch.allocate<T>(static_cast<std::size_t>(tiles_down) * width);
  T* d_left = scratch.allocate<T>(static_cast<std::size_t>(tiles_across) * height);

  const int num_tiles = tiles_across * tiles_down;
  edges_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_up, d_left);
  check_launch();
  above_kernel<<<ceil_div(width, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      width, tiles_down, d_up);
  check_launch();
  left_kernel<<<ceil_div(height, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      width, height, tiles_across, d_up, d_left);
  check_launch();
  tiles_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_up, d_left,
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
