// SPDX-License-Identifier: MIT
// mutant of: 05b_one_thread_look_back
// mistake: one block scans short arrays, three kernels scan long ones, and no tile looks back
// expect: failed budget
// also: slow
// message: launch the same kernels
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 1024;
constexpr int kItemsPerTile = 4 * kThreadsPerBlock;
constexpr int kMostItemsOfOneBlock = 1 << 18;

__device__ unsigned sum_of_lanes(unsigned value) {
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, mask);
  }
  return value;
}

// Writes the exclusive scan of a tile, plus `before`, and returns the tile's sum.
__device__ unsigned scan_tile(const unsigned* d_in, int num_left, unsigned before,
                              unsigned* d_out) {
  __shared__ unsigned warp_sums[kWarpSize];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int first = 4 * threadIdx.x;
  unsigned items[4] = {};
  if (first + 4 <= num_left) {
    const uint4 vector = *reinterpret_cast<const uint4*>(&d_in[first]);
    items[0] = vector.x, items[1] = vector.y, items[2] = vector.z, items[3] = vector.w;
  } else {
    for (int k = 0; first + k < num_left; ++k) items[k] = d_in[first + k];
  }
  const unsigned own = items[0] + items[1] + items[2] + items[3];
  unsigned sum = own;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned earlier = __shfl_up_sync(kFullWarp, sum, distance);
    if (lane_id >= distance) sum += earlier;
  }
  if (lane_id == kWarpSize - 1) warp_sums[warp_id] = sum;
  __syncthreads();
  const unsigned warp_sum = warp_sums[lane_id];
  unsigned prefix = before + sum - own + sum_of_lanes(lane_id < warp_id ? warp_sum : 0);
  const unsigned tile_sum = sum_of_lanes(warp_sum);
  __syncthreads();  // the next tile may overwrite warp_sums
  if (d_out == nullptr) return tile_sum;
  if (first + 4 <= num_left) {
    const unsigned second = prefix + items[0];
    const unsigned third = second + items[1];
    *reinterpret_cast<uint4*>(&d_out[first]) = {prefix, second, third, third + items[2]};
  } else {
    for (int k = 0; first + k < num_left; ++k) {
      d_out[first + k] = prefix;
      prefix += items[k];
    }
  }
  return tile_sum;
}

__global__ void one_block_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  unsigned before = 0;
  for (long long i = 0; i < num_items; i += kItemsPerTile) {
    before += scan_tile(d_in + i, static_cast<int>(num_items - i), before, d_out + i);
  }
}

__global__ void sums_kernel(const unsigned* d_in, int num_items, unsigned* d_sums) {
  const int begin = blockIdx.x * kItemsPerTile;
  const unsigned sum = scan_tile(d_in + begin, num_items - begin, 0, nullptr);
  if (threadIdx.x == 0) d_sums[blockIdx.x] = sum;
}

__global__ void fan_kernel(const unsigned* d_in, int num_items, const unsigned* d_before,
                           unsigned* d_out) {
  const int begin = blockIdx.x * kItemsPerTile;
  scan_tile(d_in + begin, num_items - begin, d_before[blockIdx.x], d_out + begin);
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const unsigned* d_from = as_unsigned(d_in);
  unsigned* d_to = as_unsigned(d_out);
  if (num_items < kMostItemsOfOneBlock) {
    one_block_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_from, num_items, d_to);
    return check_launch();
  }
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  unsigned* d_sums = scratch.allocate<unsigned>(num_tiles);
  unsigned* d_before = scratch.allocate<unsigned>(num_tiles);
  sums_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_from, num_items, d_sums);
  one_block_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_sums, num_tiles, d_before);
  fan_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_from, num_items, d_before, d_to);
  check_launch();
}

}  // namespace lab
