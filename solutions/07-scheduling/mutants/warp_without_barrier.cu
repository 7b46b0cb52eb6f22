// SPDX-License-Identifier: MIT
// mutant of: 07b_softmax_rows
// mistake: 17, warp-synchronous code without __syncwarp()
// expect: failed race
// also: wrong_result, budget
// line: if (t < stride) sums[t] += sums[t + stride];
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

__global__ void block_kernel(const float* d_in, int row_length, float* d_out) {
  __shared__ float largest_of[256];
  __shared__ float sums[256];
  const float* d_row = d_in + blockIdx.x * row_length;
  const int t = threadIdx.x;
  float largest = -FLT_MAX;
  for (int i = t; i < row_length; i += 256) largest = fmaxf(largest, d_row[i]);
  largest_of[t] = largest;
  for (int stride = 128; stride >= 1; stride /= 2) {
    __syncthreads();
    if (t < stride) largest_of[t] = fmaxf(largest_of[t], largest_of[t + stride]);
  }
  __syncthreads();
  largest = largest_of[0];
  float sum = 0.0f;
  for (int i = t; i < row_length; i += 256) sum += expf(d_row[i] - largest);
  sums[t] = sum;
  __syncthreads();
  for (int stride = 128; stride >= 1; stride /= 2) {
    if (stride >= 32) __syncthreads();
    if (t < stride) sums[t] += sums[t + stride];
  }
  __syncthreads();
  for (int i = t; i < row_length; i += 256) {
    d_out[blockIdx.x * row_length + i] = expf(d_row[i] - largest) / sums[0];
  }
}

}  // namespace

RowPlan plan_rows(int num_rows, int row_length, dim3 block) {
  const int threads_per_row = block.x;
  const int rows_per_block = block.y;
  RowPlan plan;
  plan.num_blocks = ceil_div(num_rows, rows_per_block);
  plan.warps_per_block = ceil_div(threads_per_row * rows_per_block, kWarpSize);
  plan.items_per_thread = ceil_div(row_length, threads_per_row);
  plan.may_use_float4 = row_length % 4 == 0;
  plan.needs_barrier = false;
  for (int row = 0; row < rows_per_block; ++row) {
    const int first = row * threads_per_row;
    const int last = first + threads_per_row - 1;
    if (first / kWarpSize != last / kWarpSize) plan.needs_barrier = true;
  }
  return plan;
}

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;
  block_kernel<<<num_rows, 256, 0, stream>>>(d_in, row_length, d_out);
  check_launch();
}

}  // namespace lab
