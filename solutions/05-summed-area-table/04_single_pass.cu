// SPDX-License-Identifier: MIT
// One kernel: a block builds its tile's table, hands its last row to the tiles below and its last
// column to those on the right, and adds up what the tiles above and left have handed out.
// New: tickets along diagonals; look-back, twice; four pixels per lane. Limit: the copy bandwidth.
// Source: Y. Emoto et al., one kernel with look-back for the summed-area table, IPDPSW 2018.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
// To tune for a device. Larger tiles hand on fewer words per pixel, but fewer run at a time.
constexpr int kNumWarps = 16;
constexpr int kThreadsPerBlock = kNumWarps * kWarpSize;
constexpr int kBlocksPerMultiprocessor = 2;  // leaves 64 registers per thread, half of them pixels
constexpr int kRowsPerWarp = 8;
constexpr int kItemsPerLane = 4;  // neighbours in a row: one 16-byte load
constexpr int kTileWidth = kWarpSize * kItemsPerLane;
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;

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

// items[k] += component k. By value: one access of 16 bytes, not four of 4 a vector apart.
template <class T>
__device__ void add(Vector<T> vector, T (&items)[kItemsPerLane]) {
  items[0] += vector.x, items[1] += vector.y, items[2] += vector.z, items[3] += vector.w;
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

// Returns the sum of the lanes' values before this one. All 32 lanes must call.
template <class T>
__device__ T exclusive_warp_scan(T value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const T before = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += before;
  }
  const T before = __shfl_up_sync(kFullWarp, value, 1);
  return lane_id == 0 ? T{0} : before;
}

// Returns the pixels x ... x + 3 of row y; outside the picture: 0.
template <bool kWholeVectors, class T>
__device__ Vector<T> load(const T* d_in, int width, int height, int x, int y) {
  Vector<T> items = {0, 0, 0, 0};
  if (y >= height) return items;
  const T* d_items = d_in + y * width + x;
  if constexpr (kWholeVectors) {  // the width is a multiple of 4: all four are in, or out
    if (x < width) items = __ldcs(reinterpret_cast<const Vector<T>*>(d_items));  // read only once
  } else {
    if (x < width) items.x = d_items[0];
    if (x + 1 < width) items.y = d_items[1];
    if (x + 2 < width) items.z = d_items[2];
    if (x + 3 < width) items.w = d_items[3];
  }
  return items;
}

template <bool kWholeVectors, class T>
__device__ void store(const T (&items)[kItemsPerLane], int width, int height, int x, int y,
                      T* d_out) {
  if (y >= height) return;
  T* d_items = d_out + y * width + x;
  if constexpr (kWholeVectors) {
    if (x >= width) return;
    __stcs(reinterpret_cast<Vector<T>*>(d_items),
           Vector<T>{items[0], items[1], items[2], items[3]});
  } else {
    for (int k = 0; k < kItemsPerLane; ++k) {
      if (x + k < width) d_items[k] = items[k];
    }
  }
}

// One block per tile. up looks back over the tiles above, one column of words per column of pixels;
// left over the tiles to the left, one column of words per row of pixels.
template <bool kWholeVectors, class T>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    single_pass_kernel(const T* d_in, int width, int height, LookBack<T> up, LookBack<T> left,
                       T* d_out) {
  __shared__ Tile shared_tile;
  __shared__ Vector<T> bottoms[kNumWarps][kWarpSize];  // the last row of each warp's sums
  __shared__ Vector<T> above[kWarpSize];               // sums over all rows above the tile
  __shared__ T rights[kTileHeight];                    // the last column of the tile's own table
  __shared__ T before[kTileHeight];                    // sums over all columns left of the tile
  T* const above_items = reinterpret_cast<T*>(above);  // (kTileWidth)
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
  const int x = x0 + lane_id * kItemsPerLane;
  const int y = y0 + warp_id * kRowsPerWarp;

  T sums[kRowsPerWarp][kItemsPerLane];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {  // all loads are issued before the first is used
    const Vector<T> items = load<kWholeVectors>(d_in, width, height, x, y + i);
    sums[i][0] = items.x, sums[i][1] = items.y, sums[i][2] = items.z, sums[i][3] = items.w;
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    for (int k = 1; k < kItemsPerLane; ++k) sums[i][k] += sums[i][k - 1];
    const T lanes_before = exclusive_warp_scan(sums[i][kItemsPerLane - 1]);
    for (int k = 0; k < kItemsPerLane; ++k) {
      sums[i][k] += lanes_before;
      if (i > 0) sums[i][k] += sums[i - 1][k];
    }
  }
  const auto& bottom = sums[kRowsPerWarp - 1];
  const Vector<T> bottom_vector = {bottom[0], bottom[1], bottom[2], bottom[3]};
  bottoms[warp_id][lane_id] = bottom_vector;
  __syncthreads();  // all warps' last rows are there

  const auto add_two = [](T a, T b) { return a + b; };
  if (t < kTileWidth) {
    T sum = 0;  // right of the picture, where no tile needs it
    if (x0 + t < width) {
      T own = 0;
      for (int warp = 0; warp < kNumWarps; ++warp) own += reinterpret_cast<T*>(bottoms[warp])[t];
      up.publish(tile.down, own, x0 + t);
      sum = up.exclusive_prefix_by_thread(tile.down, x0 + t, own, T{0}, add_two);
    }
    above_items[t] = sum;
  }
  T carry[kItemsPerLane] = {};  // of the warps above
  for (int warp = 0; warp < warp_id; ++warp) add(bottoms[warp][lane_id], carry);
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    for (int k = 0; k < kItemsPerLane; ++k) sums[i][k] += carry[k];
    if (lane_id == kWarpSize - 1) rights[warp_id * kRowsPerWarp + i] = sums[i][kItemsPerLane - 1];
  }
  __syncthreads();  // rights and above are complete

  // To the right goes the tile's own last column with all that lies above it. So what comes from
  // the left is everything left of the tile, the corner above left of it included.
  if (t < kTileHeight && y0 + t < height) {
    const T own = rights[t] + above_items[kTileWidth - 1];
    left.publish(tile.across, own, y0 + t);
    before[t] = left.exclusive_prefix_by_thread(tile.across, y0 + t, own, T{0}, add_two);
  }
  __syncthreads();  // before is complete

#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    if (x >= width || y + i >= height) break;  // above and before end with the picture
    add(above[lane_id], sums[i]);
    for (T& sum : sums[i]) sum += before[warp_id * kRowsPerWarp + i];
    store<kWholeVectors>(sums[i], width, height, x, y + i, d_out);
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
  const bool whole_vectors = width % kItemsPerLane == 0;  // then every row is 16-byte aligned
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
