// SPDX-License-Identifier: MIT
// mutant of: 08_softmax
// mistake: a row that fits the registers is read three times
// expect: failed budget
// also: slow
// needs: budget
#include <cmath>

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

struct Larger {
  static constexpr float kIdentity = -INFINITY;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Combines the values of a warp for all of its lanes. All 32 lanes must call.
template <class Operator>
__device__ float warp_combine(float value, Operator combine) {
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    value = combine(value, __shfl_xor_sync(kFullWarp, value, mask));
  }
  return value;
}

// The same for the threads of a block. Once per operator: nothing guards `warps` from reuse.
template <class Operator>
__device__ float row_combine(float value, Operator combine) {
  __shared__ float warps[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  value = warp_combine(value, combine);
  if (lane_id == 0) warps[threadIdx.x / kWarpSize] = value;
  __syncthreads();  // every warp reads what all warps wrote
  return warp_combine(lane_id < kNumWarps ? warps[lane_id] : Operator::kIdentity, combine);
}

__global__ void __launch_bounds__(kRowThreads)
    rows_kernel(const float* d_in, int row_length, float* d_out) {
  const float* d_row = d_in + blockIdx.x * row_length;  // (row_length)

  float largest = Larger::kIdentity;
  for (int i = threadIdx.x; i < row_length; i += kRowThreads) largest = fmaxf(largest, d_row[i]);
  largest = row_combine(largest, Larger());

  float sum = 0.0f;
  for (int i = threadIdx.x; i < row_length; i += kRowThreads) sum += power(d_row[i], largest);
  sum = row_combine(sum, Sum());

  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < row_length; i += kRowThreads) {
    d_out[blockIdx.x * row_length + i] = power(d_row[i], largest) * scale;
  }
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  rows_kernel<<<num_rows, kRowThreads, 0, stream>>>(d_in, row_length, d_out);
  check_launch();
}

}  // namespace lab
