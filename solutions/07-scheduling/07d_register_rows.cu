// SPDX-License-Identifier: MIT
// Softmax with a row in the registers of a warp: one read and one write per item, and no barrier.
// New: a lane keeps its items between the read and the write, and scales them to the row's largest
// item at the end. Rows of more than 1024 items are read twice, as in 07c.
// Limit: short rows leave lanes idle, and words are read one by one.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowsPerBlock = 4;  // a warp each
constexpr int kRowThreads = 256;  // of a row that fits no registers
constexpr int kNumWarps = kRowThreads / kWarpSize;
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

// Of some items of a row: the largest, and the sum of all exp(item - largest).
struct Normalizer {
  float largest;
  float sum;
};

// Of no items. Not from -infinity: -infinity - -infinity would be NaN, and exp is 0 either way.
__device__ Normalizer nothing() { return {-FLT_MAX, 0.0f}; }

// Combines what the lanes of a warp have; all of them receive it. All 32 lanes must call. The
// largest of all first: then a lane scales its sum once, and not in every step.
__device__ Normalizer warp_combine(Normalizer mine) {
  float largest = mine.largest;
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, mask));
  }
  float sum = mine.sum * power(mine.largest, largest);
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    sum += __shfl_xor_sync(kFullWarp, sum, mask);
  }
  return {largest, sum};
}

// A row in the registers of a warp, kItems per lane: lane l has the items l, l + 32, l + 64, ...
template <int kItems>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize)
    register_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
  // Past the last row a whole warp leaves, and no other warp waits for it.
  if (row >= num_rows) return;
  const int first_item = row * row_length;

  float mine[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {  // all loads are under way before the first is used
    const int i = k * kWarpSize + threadIdx.x;
    mine[k] = i < row_length ? __ldcs(d_in + first_item + i) : -INFINITY;  // a share of 0
  }

  Normalizer own = nothing();
#pragma unroll
  for (const float item : mine) own.largest = fmaxf(own.largest, item);
#pragma unroll
  for (float& item : mine) {
    item = power(item, own.largest);
    own.sum += item;
  }

  const Normalizer all = warp_combine(own);
  const float scale = power(own.largest, all.largest) / all.sum;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const int i = k * kWarpSize + threadIdx.x;
    if (i < row_length) __stcs(d_out + first_item + i, mine[k] * scale);
  }
}

// ---- 07c, for rows that fit no registers

// Of the items of both. Each sum is scaled to the larger of the two.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * power(a.largest, largest) + b.sum * power(b.largest, largest)};
}

// Combines what the threads of a block have; once per kernel, as nothing guards `warps` from reuse.
__device__ Normalizer row_combine(Normalizer mine) {
  __shared__ Normalizer warps[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  mine = warp_combine(mine);
  if (lane_id == 0) warps[threadIdx.x / kWarpSize] = mine;
  __syncthreads();  // every warp reads what all warps wrote
  return warp_combine(lane_id < kNumWarps ? warps[lane_id] : nothing());
}

__global__ void __launch_bounds__(kRowThreads)
    online_kernel(const float* d_in, int row_length, float* d_out) {
  const float* d_row = d_in + blockIdx.x * row_length;  // (row_length)

  Normalizer own = nothing();
  int i = threadIdx.x;
#pragma unroll 8  // eight loads are under way before the first item is combined
  for (; i < row_length; i += kRowThreads) own = combine(own, {d_row[i], 1.0f});

  const Normalizer all = row_combine(own);
  const float scale = 1.0f / all.sum;
  // Backwards: what was read last is the most likely to be in the L2 cache still.
#pragma unroll 8
  for (i -= kRowThreads; i >= 0; i -= kRowThreads) {
    const float share = power(__ldcs(d_row + i), all.largest) * scale;
    __stcs(d_out + blockIdx.x * row_length + i, share);
  }
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kWarpSize, kRowsPerBlock);
  const int num_blocks = ceil_div(num_rows, kRowsPerBlock);
  if (row_length <= 8 * kWarpSize) {
    register_kernel<8><<<num_blocks, block, 0, stream>>>(d_in, num_rows, row_length, d_out);
  } else if (row_length <= 32 * kWarpSize) {
    register_kernel<32><<<num_blocks, block, 0, stream>>>(d_in, num_rows, row_length, d_out);
  } else {
    online_kernel<<<num_rows, kRowThreads, 0, stream>>>(d_in, row_length, d_out);
  }
  check_launch();
}

}  // namespace lab
