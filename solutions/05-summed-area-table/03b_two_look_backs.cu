// SPDX-License-Identifier: MIT
// One kernel: a block keeps its tile in registers, hands its last row to the tiles below and its
// last column to those on the right, and adds up what the tiles above and left have handed out.
// New: look-back in two directions, in place of kernels that scan the edges; tickets along
// diagonals. Limit: 4 bytes per lane and load, and a word handed on for every 21 pixels.
// Source: Y. Emoto et al., one kernel with look-back for the summed-area table, IPDPSW 2018.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
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

struct Tile {
  int across, down;  // position, in tiles
};

// The ticket-th tile when a rectangle of tiles is walked diagonal by diagonal, from the top left.
__device__ Tile tile_of(int ticket, int tiles_across, int tiles_down) {
  const int shorter = min(tiles_across, tiles_down);
  const int num_tiles = tiles_across * tiles_down;
  const int in_corner = shorter * (shorter - 1) / 2;     // tiles on the diagonals that still grow
  const bool shrinks = ticket >= num_tiles - in_corner;  // the far corner is the near one, turned
  if (shrinks) ticket = num_tiles - 1 - ticket;
  int diagonal = 0;
  int place = 0;  // on the diagonal, along the shorter side
  if (ticket < in_corner) {
    diagonal = static_cast<int>((sqrt(8.0 * ticket + 1) - 1) / 2);
    place = ticket - diagonal * (diagonal + 1) / 2;
  } else {
    diagonal = shorter - 1 + (ticket - in_corner) / shorter;
    place = (ticket - in_corner) % shorter;
  }
  Tile tile =
      tiles_across < tiles_down ? Tile{place, diagonal - place} : Tile{diagonal - place, place};
  if (shrinks) tile = {tiles_across - 1 - tile.across, tiles_down - 1 - tile.down};
  return tile;
}

// One block per tile. up looks back over the tiles above, one column of words per column of pixels;
// left over the tiles to the left, one column of words per row of pixels.
template <class T>
__global__ void two_look_backs_kernel(const T* d_in, int width, int height, LookBack<T> up,
                                      LookBack<T> left, T* d_out) {
  __shared__ Tile shared_tile;
  __shared__ T bottoms[kNumWarps][kTileWidth];  // the last row of each warp's sums
  __shared__ T above[kTileWidth];               // sums over all rows above the tile
  __shared__ T rights[kTileHeight];             // the last column of the tile's own table
  __shared__ T before[kTileHeight];             // sums over all columns left of the tile
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);

  // Not blockIdx: blocks may start in any order, and a block that waits must not keep out the one
  // that it waits for.
  if (t == 0) shared_tile = tile_of(up.take_ticket(), tiles_across, tiles_down);
  __syncthreads();  // shared_tile is set
  const Tile tile = shared_tile;
  const int x0 = tile.across * kTileWidth;
  const int y0 = tile.down * kTileHeight;
  const int x = x0 + lane_id;
  const int y = y0 + warp_id * kRowsPerWarp;

  T sums[kRowsPerWarp];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {  // all loads are issued before the first is used
    sums[i] = x < width && y + i < height ? d_in[(y + i) * width + x] : T{0};
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    sums[i] = inclusive_warp_scan(sums[i]);
    if (i > 0) sums[i] += sums[i - 1];
  }
  bottoms[warp_id][lane_id] = sums[kRowsPerWarp - 1];
  __syncthreads();  // all warps' last rows are there

  const auto add_two = [](T a, T b) { return a + b; };
  if (t < kTileWidth) {
    T sum = 0;  // right of the picture, where no tile needs it
    if (x0 + t < width) {
      T own = 0;
      for (int warp = 0; warp < kNumWarps; ++warp) own += bottoms[warp][t];
      up.publish(tile.down, own, x0 + t);
      sum = up.exclusive_prefix_by_thread(tile.down, x0 + t, own, T{0}, add_two);
    }
    above[t] = sum;
  }
  T carry = 0;  // of the warps above
  for (int warp = 0; warp < warp_id; ++warp) carry += bottoms[warp][lane_id];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    sums[i] += carry;
    if (lane_id == kWarpSize - 1) rights[warp_id * kRowsPerWarp + i] = sums[i];
  }
  __syncthreads();  // rights and above are complete

  // To the right goes the tile's own last column with all that lies above it. So what comes from
  // the left is everything left of the tile, the corner above left of it included.
  if (t < kTileHeight && y0 + t < height) {
    const T own = rights[t] + above[kTileWidth - 1];
    left.publish(tile.across, own, y0 + t);
    before[t] = left.exclusive_prefix_by_thread(tile.across, y0 + t, own, T{0}, add_two);
  }
  __syncthreads();  // before is complete

#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    if (x >= width || y + i >= height) break;  // above and before end with the picture
    d_out[(y + i) * width + x] = sums[i] + above[lane_id] + before[warp_id * kRowsPerWarp + i];
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
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
