// SPDX-License-Identifier: MIT
// A warp computes one 16 x 16 tile of C. Fragments hide which lane holds which element.
// Limit: two tiles are read from global memory for each product of tiles.
// Source: CUDA Programming Guide, "Warp Matrix Functions".
#include <mma.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;
constexpr int kWarpsPerBlock = 4;  // neighbouring tiles of one row of tiles

__global__ void wmma_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_cols,
                            int depth, float* d_c) {
  const int first_row = blockIdx.y * kTile;
  const int first_col = (blockIdx.x * kWarpsPerBlock + threadIdx.x / 32) * kTile;
  if (first_col >= num_cols) return;  // the whole warp

  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sums;
  wmma::fill_fragment(sums, 0.0F);
  for (int k = 0; k < depth; k += kTile) {
    wmma::load_matrix_sync(a, d_a + first_row * depth + k, depth);
    wmma::load_matrix_sync(b, d_b + k * num_cols + first_col, num_cols);
    wmma::mma_sync(sums, a, b, sums);
  }
  wmma::store_matrix_sync(d_c + first_row * num_cols + first_col, sums, num_cols,
                          wmma::mem_row_major);
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kWarpsPerBlock * kTile), num_rows / kTile);
  wmma_kernel<<<grid, kWarpsPerBlock * 32, 0, stream>>>(d_a, d_b, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
