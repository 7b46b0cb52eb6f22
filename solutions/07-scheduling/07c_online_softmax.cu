// SPDX-License-Identifier: MIT
// Softmax, a block per row: one pass finds the largest item and the sum together, rescaling the
// sum whenever a larger item comes. The row is read twice: 12 bytes move per item, not 16.
// Limit: two thirds of the speed of a copy, where no cache holds the rows. Source: M. Milakov and
// N. Gimelshein, "Online normalizer calculation for softmax", 2018.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowThreads = 256;
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

// Of the items of both. Each sum is scaled to the larger of the two.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * power(a.largest, largest) + b.sum * power(b.largest, largest)};
}

// Combines what the lanes of a warp have; all of them receive it. All 32 lanes must call.
__device__ Normalizer warp_combine(Normalizer mine) {
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    const float largest = __shfl_xor_sync(kFullWarp, mine.largest, mask);
    const float sum = __shfl_xor_sync(kFullWarp, mine.sum, mask);
    mine = combine(mine, {largest, sum});
  }
  return mine;
}

// The same for the threads of a block; once per kernel, as nothing guards `warps` from reuse.
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
    __stcs(d_out + blockIdx.x * row_length + i, share);  // not worth caching: not read again
  }
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  online_kernel<<<num_rows, kRowThreads, 0, stream>>>(d_in, row_length, d_out);
  check_launch();
}

}  // namespace lab
