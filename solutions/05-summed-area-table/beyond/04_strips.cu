// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 04 for wide pictures. A block walks down a strip of columns, tile after
// tile.
// New: a block keeps the sums of the columns above its tile, so it publishes only sums of rows. It
// stores a tile after it has added up the next one, so it rarely waits for other blocks' sums.
// Meanwhile it copies the tile after that (cp.async). Cost: 73 KB of shared memory, and a narrow
// picture has fewer strips than the device has multiprocessors. Limit: the copy bandwidth.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kNumWarps = 16;
constexpr int kThreadsPerBlock = kNumWarps * kWarpSize;
constexpr int kRowsPerWarp = 8;
constexpr int kItems = 4;  // per lane and row
constexpr int kTileWidth = kWarpSize * kItems;
constexpr int kTileHeight = kNumWarps * kRowsPerWarp;

// Neighbours in a row, aligned so that one access moves them all.
template <class T>
struct alignas(kItems * sizeof(T)) Vector {
  T items[kItems];

  __device__ Vector& operator+=(const Vector& other) {
    for (int k = 0; k < kItems; ++k) items[k] += other.items[k];
    return *this;
  }
};

template <class T>
struct TileMemory {
  Vector<T> stage[kRowsPerWarp][kThreadsPerBlock];  // the next tile, while it is copied
  Vector<T> above[kNumWarps][kWarpSize];  // per warp: sums over the strip's rows above its own
  T rights[kTileHeight];                  // the last column of the strip's own table
  T before[kTileHeight];                  // sums over all columns left of the strip
  int strip;
};

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

// Replaces each pixel of a row by the sum from the row's first pixel to it. All 32 lanes must call.
template <class T>
__device__ void scan_row(Vector<T>& row) {
  for (int k = 1; k < kItems; ++k) row.items[k] += row.items[k - 1];
  const T lanes_before = exclusive_warp_scan(row.items[kItems - 1]);
  for (T& item : row.items) item += lanes_before;
}

// Starts copying the pixels x ... x + 3 of row y, with zeros outside the picture. kWholeVectors:
// the width is a multiple of 4. Then the four are aligned, and no picture ends between them.
template <bool kWholeVectors, class T>
__device__ void start_copy(const T* d_in, int width, int height, int x, int y, Vector<T>& stage) {
  const auto copy = [&](auto& to, int column) {
    const bool is_inside = column < width && y < height;
    const T* d_from = is_inside ? d_in + y * width + column : d_in;
    __pipeline_memcpy_async(&to, d_from, sizeof(to), is_inside ? 0 : sizeof(to));
  };
  if constexpr (kWholeVectors) {
    copy(stage, x);
  } else {
    for (int k = 0; k < kItems; ++k) copy(stage.items[k], x + k);
  }
}

template <bool kWholeVectors, class T>
__device__ void store(const Vector<T>& sums, int width, int x, int y, T* d_out) {
  T* d_items = d_out + y * width + x;
  if constexpr (kWholeVectors) {
    if (x < width) *reinterpret_cast<Vector<T>*>(d_items) = sums;
  } else {
    for (int k = 0; k < kItems; ++k) {
      if (x + k < width) d_items[k] = sums.items[k];
    }
  }
}

// One block per strip. left looks back over the strips to the left, one column of words per row of
// pixels.
template <bool kWholeVectors, class T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    strip_kernel(const T* d_in, int width, int height, LookBack<T> left, T* d_out) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  TileMemory<T>& shared = *reinterpret_cast<TileMemory<T>*>(shared_bytes);
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;

  // Not blockIdx: a block waits for the strips to its left, so they must have begun.
  if (t == 0) shared.strip = left.take_ticket();
  __syncthreads();  // shared.strip is set
  const int strip = shared.strip;
  const int x = strip * kTileWidth + lane_id * kItems;
  const int num_tiles = ceil_div(height, kTileHeight);

  const auto my_first_row = [&](int tile) { return tile * kTileHeight + warp_id * kRowsPerWarp; };
  // The thread that copies a vector also reads it, so no barrier is needed in between.
  const auto start_tile = [&](int tile) {
#pragma unroll
    for (int i = 0; i < kRowsPerWarp; ++i) {
      const int y = my_first_row(tile) + i;
      start_copy<kWholeVectors>(d_in, width, height, x, y, shared.stage[i][t]);
    }
    __pipeline_commit();
  };
  start_tile(0);

  const auto add = [](T a, T b) { return a + b; };
  T column_sum = 0;              // of the strip's column t, over all tiles so far; t < kTileWidth
  Vector<T> last[kRowsPerWarp];  // this thread's part of the strip's own table, in the last tile
  for (int tile = 0;; ++tile) {
    const bool has_tile = tile < num_tiles;  // false in the last round, which only stores
    Vector<T> sums[kRowsPerWarp];
    if (has_tile) {
      __pipeline_wait_prior(0);
#pragma unroll
      for (int i = 0; i < kRowsPerWarp; ++i) sums[i] = shared.stage[i][t];
      if (tile + 1 < num_tiles) start_tile(tile + 1);
#pragma unroll
      for (int i = 0; i < kRowsPerWarp; ++i) {
        scan_row(sums[i]);
        if (i > 0) sums[i] += sums[i - 1];
      }
      shared.above[warp_id][lane_id] = sums[kRowsPerWarp - 1];
    }
    __syncthreads();  // the last row of every warp, and all rights of the last tile are there

    // Some warps add up this tile's columns. Others look back for the last tile: its neighbours'
    // sums were published a tile ago, so they seldom wait.
    const int row = t - (kThreadsPerBlock - kTileHeight);
    const int y = (tile - 1) * kTileHeight + row;
    if (t < kTileWidth) {
      T* const column = &shared.above[0][t / kItems].items[t % kItems];
      T last_rows[kNumWarps];
#pragma unroll
      for (int warp = 0; warp < kNumWarps; ++warp) last_rows[warp] = column[warp * kTileWidth];
#pragma unroll
      for (int warp = 0; warp < kNumWarps; ++warp) {
        column[warp * kTileWidth] = column_sum;
        column_sum += last_rows[warp];
      }
    } else if (tile > 0 && row >= 0 && y < height) {
      const T own = shared.rights[row];
      shared.before[row] = left.exclusive_prefix_by_thread(strip, y, own, T{0}, add);
    }
    __syncthreads();  // above and before are complete

    if (has_tile) {
      T right = 0;  // lane i's: the sum at the end of the warp's row i
#pragma unroll
      for (int i = 0; i < kRowsPerWarp; ++i) {
        sums[i] += shared.above[warp_id][lane_id];
        const T end = __shfl_sync(kFullWarp, sums[i].items[kItems - 1], kWarpSize - 1);
        if (lane_id == i) right = end;
      }
      const int own_row = my_first_row(tile) + lane_id;
      if (lane_id < kRowsPerWarp && own_row < height) {
        left.publish(strip, right, own_row);
        shared.rights[warp_id * kRowsPerWarp + lane_id] = right;
      }
    }
    if (tile > 0) {
#pragma unroll
      for (int i = 0; i < kRowsPerWarp; ++i) {
        if (my_first_row(tile - 1) + i >= height) break;
        for (T& sum : last[i].items) sum += shared.before[warp_id * kRowsPerWarp + i];
        store<kWholeVectors>(last[i], width, x, my_first_row(tile - 1) + i, d_out);
      }
    }
    if (!has_tile) break;
#pragma unroll
    for (int i = 0; i < kRowsPerWarp; ++i) last[i] = sums[i];
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const int num_strips = ceil_div(width, kTileWidth);
  const LookBack<T> left(num_strips, scratch, stream, height);
  const bool whole_vectors = width % kItems == 0;  // then every row is 16-byte aligned
  const auto kernel = whole_vectors ? strip_kernel<true, T> : strip_kernel<false, T>;
  constexpr int kSharedBytes = sizeof(TileMemory<T>);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  kernel<<<num_strips, kThreadsPerBlock, kSharedBytes, stream>>>(d_in, width, height, left, d_out);
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
