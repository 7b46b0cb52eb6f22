// SPDX-License-Identifier: MIT
// Merges the sorted tiles of 02, two by two, until one is left.
// New: bitonic merges in place; long strides in global memory, those within a chunk in shared
// memory. Cost: about (log2 of the chunks)^2 / 2 passes of 8 bytes per key; 01: 32 of about 40.
// Source: K. E. Batcher, "Sorting Networks and Their Applications", AFIPS 1968.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = kSortTileItems;  // one key per thread in the tile sort
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kKeyBits = 32;
constexpr int kChunkItems = 4 * kSortTileItems;  // keys of a block that merges in shared memory
constexpr int kThreadsPerMerge = 256;            // of a block that merges in global memory
constexpr std::uint32_t kPadding = 0xffffffffu;
static_assert(kNumWarps == kWarpSize, "a warp scans the counts of all warps, one a lane");

__device__ int warp_inclusive_sum(int value) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += below;
  }
  return value;
}

// As in 02.
__global__ void __launch_bounds__(kThreadsPerBlock)
    tile_sort_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  __shared__ std::uint32_t tile[kSortTileItems];
  __shared__ int warp_falses[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  const int item = blockIdx.x * kSortTileItems + threadIdx.x;

  std::uint32_t key = item < num_items ? d_in[item] : kPadding;
  for (int bit = 0; bit < kKeyBits; ++bit) {
    const bool e = (key >> bit & 1) == 0;
    const unsigned votes = __ballot_sync(kFullWarp, e);
    if (lane_id == 0) warp_falses[warp_id] = __popc(votes);
    __syncthreads();  // all warps' counts are there, and every thread has its key from the tile

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

// Two keys of one step, low < high: the smaller one goes to `low`, in every step of this network.
struct Comparator {
  int low;
  int high;
};

// First step of a merge of two runs of `width` keys: the first key of one with the last key of the
// other, and so on inwards. What remains is two bitonic halves, all of the lower one first.
__device__ Comparator mirrored(int index, int width) {
  const int begin = index / width * (2 * width);
  const int offset = index % width;
  return {begin + offset, begin + 2 * width - 1 - offset};
}

// The steps after it: keys `stride` apart.
__device__ Comparator strided(int index, int stride) {
  const int low = index / stride * (2 * stride) + index % stride;
  return {low, low + stride};
}

__device__ void compare_exchange(std::uint32_t* keys, Comparator comparator) {
  const std::uint32_t low = keys[comparator.low];
  const std::uint32_t high = keys[comparator.high];
  if (low <= high) return;
  keys[comparator.low] = high;
  keys[comparator.high] = low;
}

// One step over d_keys (num_items). Imagine keys past the end that are larger than all others: no
// step moves them, so comparators that reach past the end are left out. So any length works.
__global__ void merge_step_kernel(std::uint32_t* d_keys, int num_items, int distance,
                                  bool is_mirrored) {
  const int index = blockIdx.x * kThreadsPerMerge + threadIdx.x;
  const Comparator comparator = is_mirrored ? mirrored(index, distance) : strided(index, distance);
  if (comparator.high < num_items) compare_exchange(d_keys, comparator);
}

// The chunk of this block, in shared memory and back. Threads touch each their own words.
__device__ void load_chunk(const std::uint32_t* d_keys, int num_items, std::uint32_t* chunk) {
  const int first_item = blockIdx.x * kChunkItems;
  for (int i = threadIdx.x; i < kChunkItems; i += kThreadsPerBlock) {
    chunk[i] = first_item + i < num_items ? d_keys[first_item + i] : kPadding;
  }
}
__device__ void store_chunk(const std::uint32_t* chunk, std::uint32_t* d_keys, int num_items) {
  const int first_item = blockIdx.x * kChunkItems;
  __syncthreads();  // other threads wrote these words in the last step
  for (int i = threadIdx.x; i < kChunkItems && first_item + i < num_items; i += kThreadsPerBlock) {
    d_keys[first_item + i] = chunk[i];
  }
}

__device__ void step_in_chunk(std::uint32_t* chunk, int distance, bool is_mirrored) {
  __syncthreads();  // the step before, or the load, has written
  for (int i = threadIdx.x; i < kChunkItems / 2; i += kThreadsPerBlock) {
    compare_exchange(chunk, is_mirrored ? mirrored(i, distance) : strided(i, distance));
  }
}

// Merges the tiles of each chunk: the whole of the first merges.
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_tiles_kernel(std::uint32_t* d_keys, int num_items) {
  __shared__ std::uint32_t chunk[kChunkItems];
  load_chunk(d_keys, num_items, chunk);
  for (int width = kSortTileItems; width < kChunkItems; width *= 2) {
    step_in_chunk(chunk, width, true);
    for (int stride = width / 2; stride >= 1; stride /= 2) step_in_chunk(chunk, stride, false);
  }
  store_chunk(chunk, d_keys, num_items);
}

// The last steps of each longer merge: those whose comparators stay within a chunk.
__global__ void __launch_bounds__(kThreadsPerBlock)
    finish_merge_kernel(std::uint32_t* d_keys, int num_items) {
  __shared__ std::uint32_t chunk[kChunkItems];
  load_chunk(d_keys, num_items, chunk);
  for (int stride = kChunkItems / 2; stride >= 1; stride /= 2) step_in_chunk(chunk, stride, false);
  store_chunk(chunk, d_keys, num_items);
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kSortTileItems);
  tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
  if (num_tiles == 1) return;

  const int num_chunks = ceil_div(num_items, kChunkItems);
  merge_tiles_kernel<<<num_chunks, kThreadsPerBlock, 0, stream>>>(d_out, num_items);
  check_launch();
  for (int width = kChunkItems; width < num_items; width *= 2) {
    // Comparators of a step: half as many as keys, the length rounded up to whole pairs of runs.
    const int num_comparators = ceil_div(num_items, 2 * width) * width;
    const int num_blocks = num_comparators / kThreadsPerMerge;
    merge_step_kernel<<<num_blocks, kThreadsPerMerge, 0, stream>>>(d_out, num_items, width, true);
    check_launch();
    for (int stride = width / 2; stride >= kChunkItems; stride /= 2) {
      merge_step_kernel<<<num_blocks, kThreadsPerMerge, 0, stream>>>(d_out, num_items, stride,
                                                                     false);
      check_launch();
    }
    finish_merge_kernel<<<num_chunks, kThreadsPerBlock, 0, stream>>>(d_out, num_items);
    check_launch();
  }
}

}  // namespace lab
