// SPDX-License-Identifier: MIT
// mutant of: 03_tiled
// mistake: 12, right for one tile only: nothing is added from other tiles
// expect: failed wrong_result
// message: every tile holds a table of its own
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
constexpr int kTileWidth = kWarpSize;
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;
constexpr int kLoadsInFlight = 8;

template <class T>
__device__ T inclusive_warp_scan(T value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const T before = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += before;
  }
  return value;
}

template <class T>
__device__ void build_tile(const T* d_in, int width, int height, int x0, int y0,
                           T (&sums)[kRowsPerWarp]) {
  __shared__ T bottoms[kNumWarps][kTileWidth];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int x = x0 + lane_id;
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    const int y = y0 + warp_id * kRowsPerWarp + i;
    sums[i] = x < width && y < height ? d_in[y * width + x] : T{0};
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    sums[i] = inclusive_warp_scan(sums[i]);
    if (i > 0) sums[i] += sums[i - 1];
  }
  bottoms[warp_id][lane_id] = sums[kRowsPerWarp - 1];
  __syncthreads();
  T above = 0;
  for (int warp = 0; warp < warp_id; ++warp) above += bottoms[warp][lane_id];
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) sums[i] += above;
}

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

template <class T, class Own>
__device__ void scan_line(T* d_line, int stride, int count, Own own) {
  T sum = 0;
  for (int begin = 0; begin < count; begin += kLoadsInFlight) {
    T owns[kLoadsInFlight];
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

template <class T>
__global__ void above_kernel(int width, int tiles_down, T* d_up) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= width) return;
  scan_line(d_up + x, width, tiles_down, [=](int tile_y) { return d_up[tile_y * width + x]; });
}

template <class T>
__global__ void left_kernel(int width, int height, int tiles_across, const T* d_up, T* d_left) {
  const int y = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (y >= height) return;
  const T* d_above = d_up + y / kTileHeight * width;
  scan_line(d_left + y, height, tiles_across, [=](int tile_x) {
    const int last_x = min((tile_x + 1) * kTileWidth, width) - 1;
    return d_left[tile_x * height + y] + d_above[last_x];
  });
}

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
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) {
    const int y = tile_y * kTileHeight + threadIdx.x / kWarpSize * kRowsPerWarp + i;
    if (y < height) d_out[y * width + x] = sums[i];
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
