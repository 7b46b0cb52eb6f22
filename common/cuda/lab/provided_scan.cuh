// SPDX-License-Identifier: MIT
// A scan to build on: simple and correct for every length. Lab 02 makes it fast.
// Tiles are scanned one by one, their sums are scanned by the same function, and the result is
// added to every tile: two reads and two writes per item.
#pragma once

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/scratch.cuh"

namespace lab {
namespace provided {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kItemsPerTile = 1024;  // one item per thread

// Returns the sum of `value` over lanes 0 to this one. All 32 lanes must call.
__device__ inline int warp_inclusive_sum(int value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += below;
  }
  return value;
}

// Scans each tile of d_in (num_items) on its own into d_out (num_items); d_tile_sums (gridDim.x).
static __global__ void __launch_bounds__(kItemsPerTile)
    scan_tiles_kernel(const int* d_in, int num_items, int* d_out, int* d_tile_sums) {
  __shared__ int warp_sums[kItemsPerTile / kWarpSize];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int i = blockIdx.x * kItemsPerTile + threadIdx.x;

  const int item = i < num_items ? d_in[i] : 0;
  const int inclusive = warp_inclusive_sum(item);
  if (lane_id == kWarpSize - 1) warp_sums[warp_id] = inclusive;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) warp_sums[lane_id] = warp_inclusive_sum(warp_sums[lane_id]);
  __syncthreads();  // every warp reads what the first warp wrote
  const int before_warp = warp_id == 0 ? 0 : warp_sums[warp_id - 1];
  if (i < num_items) d_out[i] = before_warp + inclusive - item;
  if (threadIdx.x == kItemsPerTile - 1) d_tile_sums[blockIdx.x] = before_warp + inclusive;
}

// Adds d_offsets[b] to each item of tile b of d_out (num_items).
static __global__ void __launch_bounds__(kItemsPerTile)
    add_offsets_kernel(const int* d_offsets, int num_items, int* d_out) {
  const int i = blockIdx.x * kItemsPerTile + threadIdx.x;
  if (i < num_items) d_out[i] += d_offsets[blockIdx.x];
}

}  // namespace provided

// d_out[0] = 0, d_out[i] = d_in[0] + ... + d_in[i - 1]: the sum of all items before item i.
//   d_in, d_out  (num_items)  device; one array, or no overlap; may be null when num_items == 0
//   scratch      num_items / 100 bytes plus 2 KiB are enough
//   stream       asynchronous; the host is not synchronised
// Throws CudaError if a launch fails. num_items in [0, 2^31).
inline void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                           cudaStream_t stream) {
  using namespace provided;
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  int* d_tile_sums = scratch.allocate<int>(num_tiles);
  scan_tiles_kernel<<<num_tiles, kItemsPerTile, 0, stream>>>(d_in, num_items, d_out, d_tile_sums);
  check_launch();
  if (num_tiles == 1) return;
  int* d_offsets = scratch.allocate<int>(num_tiles);
  exclusive_scan(d_tile_sums, num_tiles, d_offsets, scratch, stream);
  add_offsets_kernel<<<num_tiles, kItemsPerTile, 0, stream>>>(d_offsets, num_items, d_out);
  check_launch();
}

}  // namespace lab
