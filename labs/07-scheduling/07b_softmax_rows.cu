// SPDX-License-Identifier: MIT
// Softmax of rows of any length, first planned, then written: a block per row, which reads the row
// three times. For its largest item, for the sum of the powers, and for the shares.
#include <cmath>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowThreads = 256;
constexpr int kNumWarps = kRowThreads / kWarpSize;
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

struct Larger {
  // TODO 1. What is the largest of no items? What becomes of a row of -1000 with this identity?
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Combines the values of a warp for all of its lanes. All 32 lanes must call.
template <class Operator>
__device__ float warp_combine(float value, Operator combine) {
  // TODO 2. __shfl_xor_sync(kFullWarp, value, 16) returns the value of the lane whose number
  //         differs in one bit. Which five calls leave the result in all lanes, and not in lane 0
  //         alone?
  return value;
}

// The same for the threads of a block. Once per operator: nothing guards `warps` from reuse.
template <class Operator>
__device__ float row_combine(float value, Operator combine) {
  __shared__ float warps[kNumWarps];
  // TODO 3. What does each warp leave in `warps`, and which lane writes it? What must happen before
  //         another warp reads it? Then 8 values are left to combine. What does a lane
  //         without one bring?
  return value;
}

__global__ void __launch_bounds__(kRowThreads)
    rows_kernel(const float* d_in, int row_length, float* d_out) {
  const float* d_row = d_in + blockIdx.x * row_length;  // (row_length)
  // TODO 4. Which items does a thread take, so that a warp reads neighbouring words?
  // TODO 5. The largest, then the sum of power(item, largest), then the shares.
}

}  // namespace

RowPlan plan_rows(int num_rows, int row_length, dim3 block) {
  todo("07b_softmax_rows: plan_rows");
  // TODO 6. Which blocks, warps and items are whole, and which must be rounded up?
  // TODO 7. Threads are numbered row by row, and each 32 of them are a warp. Which rows have
  //         threads in more than one warp? Try dim3(64, 2), dim3(16, 8) and dim3(24, 4).
  return {};
}

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  todo("07b_softmax_rows: softmax");

  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  rows_kernel<<<num_rows, kRowThreads, 0, stream>>>(d_in, row_length, d_out);
  check_launch();
}

}  // namespace lab
