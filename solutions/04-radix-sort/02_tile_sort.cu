// SPDX-License-Identifier: MIT
// Sorts each tile of 1024 keys in shared memory: the 32 splits of 01, within one block.
// New: a key is read and written once, not 32 times; ballots in place of the big scan.
// Limit: two barriers per bit; and the tiles are independent.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = kSortTileItems;  // one key per thread
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kKeyBits = 32;
constexpr std::uint32_t kPadding = 0xffffffffu;  // no key is larger
static_assert(kNumWarps == kWarpSize, "a warp scans the counts of all warps, one a lane");

// Returns the sum of `value` over lanes 0 to this one. All 32 lanes must call.
__device__ int warp_inclusive_sum(int value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += below;
  }
  return value;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    tile_sort_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  __shared__ std::uint32_t tile[kSortTileItems];
  __shared__ int warp_falses[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  const int item = blockIdx.x * kSortTileItems + threadIdx.x;

  // Padding is the largest key and comes last. A stable split keeps it after all real keys, equal
  // ones included, so in the end the tile's first keys are the real ones.
  std::uint32_t key = item < num_items ? d_in[item] : kPadding;
  for (int bit = 0; bit < kKeyBits; ++bit) {
    const bool e = (key >> bit & 1) == 0;
    const unsigned votes = __ballot_sync(kFullWarp, e);
    if (lane_id == 0) warp_falses[warp_id] = __popc(votes);
    __syncthreads();  // all warps' counts are there, and every thread has its key from the tile

    // Every warp scans the counts of all warps: cheaper than a barrier more.
    const int count = warp_falses[lane_id];
    const int inclusive = warp_inclusive_sum(count);
    const int total_falses = __shfl_sync(kFullWarp, inclusive, kWarpSize - 1);
    const int before_warp = __shfl_sync(kFullWarp, inclusive - count, warp_id);

    const int f = before_warp + __popc(votes & lanes_below);
    const int t = threadIdx.x - f + total_falses;
    tile[e ? f : t] = key;
    __syncthreads();  // the tile is complete; and the counts have been read, so may be overwritten
    key = tile[threadIdx.x];
  }
  if (item < num_items) d_out[item] = key;
}

}  // namespace

void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kSortTileItems);
  tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
