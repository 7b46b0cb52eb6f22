// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 06 without a ticket. Block 0 waits for each other block's sum.
// New: a sum and the number of the call share one 64-bit word, so one store publishes both. In 06 a
// fence, an atomic operation and a load of the sums follow each other, 1 us in all. A single block
// has a kernel of its own, which is shorter. Cost: a block that waits, and a counter of calls on
// the host. Limit: the read bandwidth of the memory.
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
constexpr int kThreadsIfAlone = 256;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;
constexpr int kMostItemsIfAlone = kThreadsIfAlone * kVectorsInFlight * 4;
constexpr int kMostBlocks = 2048;

// The number of the call above, a block's sum in that call below. Numbers repeat after 2^32 calls,
// which take hours.
using SumWord = unsigned long long;
using AtomicWord = cuda::atomic_ref<SumWord, cuda::thread_scope_device>;
__device__ SumWord block_sums[kMostBlocks];

__device__ void publish(int block, unsigned call, float sum) {
  AtomicWord(block_sums[block])
      .store(SumWord{call} << 32 | __float_as_uint(sum), cuda::memory_order_relaxed);
}
__device__ float wait_for_sum(int block, unsigned call) {
  SumWord seen;
  do {
    seen = AtomicWord(block_sums[block]).load(cuda::memory_order_relaxed);
  } while (static_cast<unsigned>(seen >> 32) != call);
  return __uint_as_float(static_cast<unsigned>(seen));
}

// Returns the sum of the warp's first kLanes values in lane 0; the other lanes hold partial sums.
// All 32 lanes must call.
template <int kLanes>
__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset >= 1; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

// Returns the block's sum in thread 0. All threads must call, with a barrier between two calls.
template <int kThreads>
__device__ float block_sum(float value) {
  constexpr int kNumWarps = kThreads / kWarpSize;
  __shared__ float warp_sums[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  value = warp_sum<kWarpSize>(value);
  if (lane_id == 0) warp_sums[warp_id] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) value = warp_sum<kNumWarps>(lane_id < kNumWarps ? warp_sums[lane_id] : 0.0f);
  return value;
}

__device__ float vector_sum(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

// For at most kMostItemsIfAlone items.
__global__ void __launch_bounds__(kThreadsIfAlone)
    one_block_kernel(const float* d_in, int num_items, float* d_out) {
  const float4* d_vectors = reinterpret_cast<const float4*>(d_in);  // (num_vectors)
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;

  float4 vectors[kVectorsInFlight];  // all loads are issued before the first is used
#pragma unroll
  for (int k = 0; k < kVectorsInFlight; ++k) {
    const int vector = k * kThreadsIfAlone + t;
    vectors[k] = vector < num_vectors ? d_vectors[vector] : float4{0, 0, 0, 0};
  }
  float sum = t < num_items % 4 ? d_in[num_vectors * 4 + t] : 0.0f;  // items that fill no vector
#pragma unroll
  for (const float4 vector : vectors) sum += vector_sum(vector);
  sum = block_sum<kThreadsIfAlone>(sum);
  if (t == 0) d_out[0] = sum;
}

// Returns the sum of this thread's share: its vectors of every gridDim.x-th tile.
__device__ float thread_sum(const float* d_in, int num_items) {
  const float4* d_vectors = reinterpret_cast<const float4*>(d_in);  // (num_vectors)
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;

  float sums[kVectorsInFlight] = {};  // independent, so that no addition waits for another
  int tile = blockIdx.x * kVectorsPerTile;
#pragma unroll 1  // one batch at a time fills the registers
  for (; tile + kVectorsPerTile <= num_vectors; tile += gridDim.x * kVectorsPerTile) {
    float4 vectors[kVectorsInFlight];
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

// Block 0 waits for the others, and no block waits for block 0. So blocks that start late, because
// there is no room for them yet, find room when others have ended.
__global__ void __launch_bounds__(kThreadsPerBlock)
    numbered_sums_kernel(const float* d_in, int num_items, unsigned call, float* d_out) {
  const int t = threadIdx.x;
  const float sum = block_sum<kThreadsPerBlock>(thread_sum(d_in, num_items));
  if (blockIdx.x != 0) {
    if (t == 0) publish(blockIdx.x, call, sum);
    return;
  }

  const int num_blocks = gridDim.x;
  float total = t == 0 ? sum : 0.0f;
  for (int block = t; block < num_blocks; block += kThreadsPerBlock) {  // in a fixed order
    if (block != 0) total += wait_for_sum(block, call);
  }
  __syncthreads();  // warp_sums may be used again
  total = block_sum<kThreadsPerBlock>(total);
  if (t == 0) d_out[0] = total;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  if (num_items <= kMostItemsIfAlone) {
    one_block_kernel<<<1, kThreadsIfAlone, 0, stream>>>(d_in, num_items, d_out);
  } else {
    static unsigned call = 0;
    ++call;  // not 0, with which all words begin
    const int resident = max_resident_blocks(numbered_sums_kernel, kThreadsPerBlock);
    const int most_blocks = std::min(resident, kMostBlocks);
    const int num_blocks = std::clamp(ceil_div(num_items, kVectorsPerTile * 4), 1, most_blocks);
    numbered_sums_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, call, d_out);
  }
  check_launch();
}

}  // namespace lab
