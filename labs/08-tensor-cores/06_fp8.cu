// SPDX-License-Identifier: MIT
// Numbers of 8 bits: half the bytes of bfloat16, and one instruction multiplies twice the depth.
// e4m3 reaches only from 2^-9 to 448, so each row has a scale, which multiplies the sums at the
// end. Start from your 04.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "lab/todo.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

constexpr int kQuantizeWarps = 8;  // a warp for each row
constexpr float kLargest = 448;    // e4m3

__global__ void quantize_kernel(const float* d_x, int num_rows, int depth, __nv_fp8_e4m3* d_q,
                                float* d_scales) {
  // TODO 1. Find the largest magnitude of the row, then its scale. What if the row has only zeros?
  // TODO 2. Divide, convert and write, four numbers per lane and access.
}

// TODO 3. Copy the kernel and launch() of your 04, with tiles of 128 x 128, 64 x 32 outputs per
//         warp and a depth of 128. How many bytes has a row of a tile now, and how many chunks?
// TODO 4. B comes by columns. Which shape has its tile, and why does ldmatrix not transpose it?
//         Which words of load_matrices are the fragment of which product?
// TODO 5. Multiply by multiply_e4m3. Where do the scales belong, and how often is each one read?

}  // namespace

void quantize_e4m3(const float* d_x, int num_rows, int depth, __nv_fp8_e4m3* d_q, float* d_scales,
                   Scratch& /*scratch*/, cudaStream_t stream) {
  todo("06_fp8: write quantize_kernel, then delete this line");

  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_rows, kQuantizeWarps);
  quantize_kernel<<<num_blocks, kQuantizeWarps * 32, 0, stream>>>(d_x, num_rows, depth, d_q,
                                                                  d_scales);
  check_launch();
}

void matmul_e4m3(const __nv_fp8_e4m3* d_a, const float* d_a_scales, const __nv_fp8_e4m3* d_b,
                 const float* d_b_scales, int num_rows, int num_cols, int depth, float* d_c,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  todo("06_fp8: write the kernel, then delete this line");
}

}  // namespace lab
