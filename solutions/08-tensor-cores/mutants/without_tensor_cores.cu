// SPDX-License-Identifier: MIT
// mutant of: 02_mma
// mistake: each thread multiplies by itself; no tensor core does
// expect: failed budget
// message: multiply by tensor cores
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

__global__ void naive_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_cols,
                             int depth, float* d_c) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= num_cols) return;
  float sum = 0;
  for (int k = 0; k < depth; ++k) {
    sum += __bfloat162float(d_a[row * depth + k]) * __bfloat162float(d_b[k * num_cols + col]);
  }
  d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  naive_kernel<<<dim3(ceil_div(num_cols, 256), num_rows), 256, 0, stream>>>(d_a, d_b, num_cols,
                                                                            depth, d_c);
  check_launch();
}

}  // namespace lab
