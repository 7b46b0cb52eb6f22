// SPDX-License-Identifier: MIT
// mutant of: 02_mma
// mistake: each thread multiplies by itself, and the warps multiply zeros on tensor cores as well
// expect: failed budget
// message: global_bytes_moved_per_item
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

// 32 outputs of depth steps are depth / 64 instructions of 2048 multiply-adds.
__global__ void idle_products_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b,
                                     int num_cols, int depth, float* d_c) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t a[4] = {};
  const std::uint32_t b[2] = {};
  float zeros[4] = {};
  for (int k = 0; k < depth; k += 64) multiply_bf16(zeros, a, b);
  if (col >= num_cols) return;
  float sum = zeros[0];
  for (int k = 0; k < depth; ++k) {
    sum += __bfloat162float(d_a[row * depth + k]) * __bfloat162float(d_b[k * num_cols + col]);
  }
  d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const dim3 grid(ceil_div(num_cols, 256), num_rows);
  idle_products_kernel<<<grid, 256, 0, stream>>>(d_a, d_b, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
