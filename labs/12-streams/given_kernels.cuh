// SPDX-License-Identifier: MIT
// The given kernels of lab 12-streams, and the functions that launch them: one thread per item.
// None waits, and with no items none launches anything. Not edited by students.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "streams.cuh"

namespace lab {

inline constexpr int kThreadsPerBlock = 256;

// d_out[i] = mix(d_in[i], num_rounds). The two may be the same array.
static __global__ void mix_kernel(const std::uint32_t* d_in, int num_items, int num_rounds,
                                  std::uint32_t* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_out[i] = mix(d_in[i], num_rounds);
}

inline void launch_mix(const std::uint32_t* d_in, int num_items, int num_rounds,
                       std::uint32_t* d_out, cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  mix_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, num_rounds, d_out);
  check_launch();
}

// d_out[i] = d_in[num_items - 1 - i]. Two arrays.
static __global__ void reverse_kernel(const std::uint32_t* d_in, int num_items,
                                      std::uint32_t* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_out[i] = d_in[num_items - 1 - i];
}

inline void launch_reverse(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                           cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  reverse_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

// d_out[i] = d_in[i] ^ key.
static __global__ void key_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t key,
                                  std::uint32_t* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_out[i] = d_in[i] ^ key;
}

// d_out[i] = mix(d_in[i], 1) + d_in[i + 1]. The item after the last one is the first.
static __global__ void neighbour_kernel(const std::uint32_t* d_in, int num_items,
                                        std::uint32_t* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_out[i] = mix(d_in[i], 1) + d_in[i + 1 < num_items ? i + 1 : 0];
}

// One step of rung 05: four small launches, the first of which takes the key. The result is in
// d_words (num_items, at least 1); d_other is of the same size.
inline void launch_step(std::uint32_t* d_words, int num_items, std::uint32_t key,
                        std::uint32_t* d_other, cudaStream_t stream) {
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  key_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_words, num_items, key, d_other);
  check_launch();
  neighbour_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_other, num_items, d_words);
  check_launch();
  neighbour_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_words, num_items, d_other);
  check_launch();
  neighbour_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_other, num_items, d_words);
  check_launch();
}

inline constexpr int kWarpSize = 32;

// The sum of `word` over the threads 0 to this one of a block of kItemsPerTile threads.
__device__ inline std::uint32_t block_inclusive_sum(std::uint32_t word) {
  __shared__ std::uint32_t warp_sums[kItemsPerTile / kWarpSize];
  const unsigned lane_id = threadIdx.x % kWarpSize;
  const unsigned warp_id = threadIdx.x / kWarpSize;
  const auto warp_inclusive_sum = [&](std::uint32_t sum) {
    for (unsigned offset = 1; offset < kWarpSize; offset *= 2) {
      const std::uint32_t below = __shfl_up_sync(0xffffffffu, sum, offset);
      if (lane_id >= offset) sum += below;
    }
    return sum;
  };
  const std::uint32_t in_warp = warp_inclusive_sum(word);
  if (lane_id == kWarpSize - 1) warp_sums[warp_id] = in_warp;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) warp_sums[lane_id] = warp_inclusive_sum(warp_sums[lane_id]);
  __syncthreads();  // every warp reads what the first warp wrote
  return warp_id == 0 ? in_warp : warp_sums[warp_id - 1] + in_warp;
}

// d_tile_sums[b]: the sum of tile b, which block b reads.
static __global__ void __launch_bounds__(kItemsPerTile)
    tile_sums_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_tile_sums) {
  const int i = blockIdx.x * kItemsPerTile + threadIdx.x;
  const std::uint32_t sum = block_inclusive_sum(i < num_items ? d_in[i] : 0);
  if (threadIdx.x == kItemsPerTile - 1) d_tile_sums[blockIdx.x] = sum;
}

// By one block: d_tile_sums becomes the sums of all that comes before each tile, d_carry included,
// and d_carry the sum of all so far.
static __global__ void __launch_bounds__(kItemsPerTile)
    carry_kernel(int num_tiles, std::uint32_t* d_carry, std::uint32_t* d_tile_sums) {
  const int tile = threadIdx.x;
  const std::uint32_t carry = *d_carry;
  const std::uint32_t own = tile < num_tiles ? d_tile_sums[tile] : 0;
  const std::uint32_t sum =
      carry + block_inclusive_sum(own);  // its barriers: all have read d_carry
  if (tile < num_tiles) d_tile_sums[tile] = sum - own;
  if (tile == kItemsPerTile - 1) *d_carry = sum;
}

static __global__ void __launch_bounds__(kItemsPerTile)
    running_sums_kernel(const std::uint32_t* d_in, int num_items, const std::uint32_t* d_tile_sums,
                        std::uint32_t* d_out) {
  const int i = blockIdx.x * kItemsPerTile + threadIdx.x;
  const std::uint32_t sum = block_inclusive_sum(i < num_items ? d_in[i] : 0);
  if (i < num_items) d_out[i] = d_tile_sums[blockIdx.x] + sum;
}

// d_out[i] = d_state[0] + d_in[0] + ... + d_in[i], and then d_state[0] is the last of them. So each
// call goes on where the one before ended, if d_state[0] is 0 before the first.
//   d_in, d_out (num_items)  may be the same array; num_items up to kMaxChunkItems
//   d_state     (kStateWords)
inline void launch_running_sums(const std::uint32_t* d_in, int num_items, std::uint32_t* d_state,
                                std::uint32_t* d_out, cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  std::uint32_t* const d_tile_sums = d_state + 1;
  tile_sums_kernel<<<num_tiles, kItemsPerTile, 0, stream>>>(d_in, num_items, d_tile_sums);
  check_launch();
  carry_kernel<<<1, kItemsPerTile, 0, stream>>>(num_tiles, d_state, d_tile_sums);
  check_launch();
  running_sums_kernel<<<num_tiles, kItemsPerTile, 0, stream>>>(d_in, num_items, d_tile_sums, d_out);
  check_launch();
}

}  // namespace lab
