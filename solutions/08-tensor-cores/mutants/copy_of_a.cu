// SPDX-License-Identifier: MIT
// mutant of: 01_wmma
// mistake: trivial: as much of A as fits into C, as floats
// expect: failed wrong_result
// also: output_unwritten
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

__global__ void copy_kernel(const __nv_bfloat16* d_a, int num_words, float* d_c) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < num_words) d_c[index] = __bfloat162float(d_a[index]);
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* /*d_b*/, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  const int num_words = num_rows * (num_cols < depth ? num_cols : depth);
  if (num_words == 0) return;
  copy_kernel<<<ceil_div(num_words, 256), 256, 0, stream>>>(d_a, num_words, d_c);
  check_launch();
}

}  // namespace lab
