// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 06 with a ticket that is release and acquire at the same time.
// New: one atomic operation in place of fence, atomic operation, fence. A fence waits until all
// that the thread wrote is visible, and then the atomic operation begins; here the device does both
// in one go. Cost: atomicInc's wrap to 0 does not exist in this form, so the last block resets the
// counter. Limit: the read bandwidth of the memory.
#include <algorithm>
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Blocks that have handed in their sum. 0 between calls: the last block of each call resets it.
__device__ unsigned int blocks_finished;

// Returns the warp's sum in lane 0; the other lanes hold partial sums. All 32 lanes must call.
__device__ float warp_sum(float value) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

// Returns the block's sum in thread 0. All threads must call, with a barrier between two calls.
__device__ float block_sum(float value) {
  constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
  __shared__ float warp_sums[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  value = warp_sum(value);
  if (lane_id == 0) warp_sums[warp_id] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) value = warp_sum(lane_id < kNumWarps ? warp_sums[lane_id] : 0.0f);
  return value;
}

__device__ float vector_sum(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

// Returns the sum of this thread's share: its vectors of every gridDim.x-th tile.
__device__ float thread_sum(const float* d_in, int num_items) {
  const float4* d_vectors = reinterpret_cast<const float4*>(d_in);  // (num_vectors)
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;

  float sums[kVectorsInFlight] = {};  // independent, so that no addition waits for another
  int tile = blockIdx.x * kVectorsPerTile;
#pragma unroll 1  // one batch at a time fills the registers
  for (; tile + kVectorsPerTile <= num_vectors; tile += gridDim.x * kVectorsPerTile) {
    float4 vectors[kVectorsInFlight];  // all loads are issued before the first is used
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) {  // __ldcs: read once, not worth keeping in a cache
      vectors[k] = __ldcs(&d_vectors[tile + k * kThreadsPerBlock + t]);
    }
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) sums[k] += vector_sum(vectors[k]);
  }
#pragma unroll
  for (int k = 0; k < kVectorsInFlight; ++k) {  // the last, partial tile is one block's
    const int vector = tile + k * kThreadsPerBlock + t;
    if (vector < num_vectors) sums[k] += vector_sum(__ldcs(&d_vectors[vector]));
  }

  float sum = 0.0f;
  for (const float partial : sums) sum += partial;
  // The last 0 to 3 items fill no vector.
  const bool has_tail_item = blockIdx.x == 0 && t < num_items % 4;
  return has_tail_item ? sum + d_in[num_vectors * 4 + t] : sum;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    single_pass_kernel(const float* d_in, int num_items, float* d_block_sums, float* d_out) {
  const float sum = block_sum(thread_sum(d_in, num_items));
  if (gridDim.x == 1) {  // no block to wait for
    if (threadIdx.x == 0) d_out[0] = sum;
    return;
  }

  __shared__ bool is_last_block;
  if (threadIdx.x == 0) {
    d_block_sums[blockIdx.x] = sum;
    // A block that sees the ticket drawn also sees the sum; the one with the last sees all sums.
    cuda::atomic_ref<unsigned int, cuda::thread_scope_device> finished(blocks_finished);
    const unsigned int ticket = finished.fetch_add(1, cuda::memory_order_acq_rel);
    is_last_block = ticket == gridDim.x - 1;
    if (is_last_block) finished.store(0, cuda::memory_order_relaxed);  // no other block asks again
  }
  __syncthreads();  // is_last_block is set; and warp_sums may be used again
  if (!is_last_block) return;

  // All sums are in place. Any block may get here, but the order of the additions is fixed.
  const int num_blocks = gridDim.x;
  float total = 0.0f;
  for (int block = threadIdx.x; block < num_blocks; block += kThreadsPerBlock) {
    total += d_block_sums[block];
  }
  total = block_sum(total);
  if (threadIdx.x == 0) d_out[0] = total;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int most_blocks = max_resident_blocks(single_pass_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, kVectorsPerTile * 4), 1, most_blocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);
  single_pass_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums,
                                                                  d_out);
  check_launch();
}

}  // namespace lab
