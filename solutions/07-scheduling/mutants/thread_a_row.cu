// SPDX-License-Identifier: MIT
// mutant of: 07b_softmax_rows
// mistake: 21 and 22, a thread per row: strided loads, and one long chain of additions
// expect: failed wrong_result
// also: budget
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

__global__ void thread_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= num_rows) return;
  const float* d_row = d_in + row * row_length;
  float largest = -FLT_MAX;
  for (int i = 0; i < row_length; ++i) largest = fmaxf(largest, d_row[i]);
  float sum = 0.0f;
  for (int i = 0; i < row_length; ++i) sum += expf(d_row[i] - largest);
  for (int i = 0; i < row_length; ++i) {
    d_out[row * row_length + i] = expf(d_row[i] - largest) / sum;
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
  thread_kernel<<<ceil_div(num_rows, 128), 128, 0, stream>>>(d_in, num_rows, row_length, d_out);
  check_launch();
}

}  // namespace lab
