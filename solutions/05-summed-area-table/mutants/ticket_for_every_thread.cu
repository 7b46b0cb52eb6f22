// SPDX-License-Identifier: MIT
// mutant of: 04_single_pass
// mistake: 8, a ticket is drawn by every thread, not once a block
// expect: failed race
// also: wrong_result, out_of_bounds, output_unwritten, deadlock, timeout
// line: 129
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
constexpr int kBlocksPerMultiprocessor = 4;
constexpr int kRowsPerWarp = 8;
constexpr int kItemsPerLane = 4;
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

template <class T>
__device__ void add(Vector<T> vector, T (&items)[kItemsPerLane]) {
  items[0] += vector.x, items[1] += vector.y, items[2] += vector.z, items[3] += vector.w;
}

struct Tile {
  int across, down;
};

__device__ Tile tile_of(int ticket, int tiles_across, int tiles_down) {
  const int shorter = min(tiles_across, tiles_down);
  const int num_tiles = tiles_across * tiles_down;
  const int in_corner = shorter * (shorter - 1) / 2;
  const bool shrinks = ticket >= num_tiles - in_corner;
  if (shrinks) ticket = num_tiles - 1 - ticket;
  int diagonal = 0;
  int place = 0;
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

template <bool kWholeVectors, class T>
__device__ Vector<T> load(const T* d_in, int width, int height, int x, int y) {
  Vector<T> items = {0, 0, 0, 0};
  if (y >= height) return items;
  const T* d_items = d_in + y * width + x;
  if constexpr (kWholeVectors) {
    if (x < width) items = __ldcs(reinterpret_cast<const Vector<T>*>(d_items));
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

template <bool kWholeVectors, class T>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    single_pass_kernel(const T* d_in, int width, int height, LookBack<T> up, LookBack<T> left,
                       T* d_out) {
  __shared__ Tile shared_tile;
  __shared__ Vector<T> bottoms[kNumWarps][kWarpSize];
  __shared__ Vector<T> above[kWarpSize];
  __shared__ T rights[kTileHeight];
  __shared__ T before[kTileHeight];
  T* const above_items = reinterpret_cast<T*>(above);
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const int tiles_across = ceil_div(width, kTileWidth);
  const int tiles_down = ceil_div(height, kTileHeight);

  {
    const Tile next = tile_of(up.take_ticket(), tiles_across, tiles_down);
    shared_tile = next;
  }
  __syncthreads();
  const Tile tile = shared_tile;
  const int x0 = tile.across * kTileWidth;
  const int y0 = tile.down * kTileHeight;
  const int x = x0 + lane_id * kItemsPerLane;
  const int y = y0 + warp_id * kRowsPerWarp;

  T sums[kRowsPerWarp][kItemsPerLane];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
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
  __syncthreads();

  const auto add_two = [](T a, T b) { return a + b; };
  if (t < kTileWidth) {
    T sum = 0;
    if (x0 + t < width) {
      T own = 0;
      for (int warp = 0; warp < kNumWarps; ++warp) own += reinterpret_cast<T*>(bottoms[warp])[t];
      up.publish(tile.down, own, x0 + t);
      sum = up.exclusive_prefix_by_thread(tile.down, x0 + t, own, T{0}, add_two);
    }
    above_items[t] = sum;
  }
  T carry[kItemsPerLane] = {};
  for (int warp = 0; warp < warp_id; ++warp) add(bottoms[warp][lane_id], carry);
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    for (int k = 0; k < kItemsPerLane; ++k) sums[i][k] += carry[k];
    if (lane_id == kWarpSize - 1) rights[warp_id * kRowsPerWarp + i] = sums[i][kItemsPerLane - 1];
  }
  __syncthreads();

  if (t < kTileHeight && y0 + t < height) {
    const T own = rights[t] + above_items[kTileWidth - 1];
    left.publish(tile.across, own, y0 + t);
    before[t] = left.exclusive_prefix_by_thread(tile.across, y0 + t, own, T{0}, add_two);
  }
  __syncthreads();

#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    if (x >= width || y + i >= height) break;
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
  const bool whole_vectors = width % kItemsPerLane == 0;
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
