// SPDX-License-Identifier: MIT
// A warp computes one 16 x 16 tile of C. Fragments hide which lane holds which element.
// Source: CUDA Programming Guide, "Warp Matrix Functions".
#include <mma.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;
constexpr int kWarpsPerBlock = 4;  // neighbouring tiles of one row of tiles

__global__ void wmma_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_cols,
                            int depth, float* d_c) {
  // TODO 1. Which tile of C is this warp's? All 32 lanes must give the same answer. What must a
  //         warp do whose tile lies past the last column?
  // TODO 2. Declare the fragments of A, B and C, and set the sums to 0. How many elements of a
  //         16 x 16 fragment does one lane hold?
  // TODO 3. Along the depth, load a tile of A and a tile of B, and multiply. Where does a tile
  //         begin, and how far apart are its rows?
  // TODO 4. Store the tile. What would happen if only lane 0 executed the store?
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_wmma: write the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kWarpsPerBlock * kTile), num_rows / kTile);
  wmma_kernel<<<grid, kWarpsPerBlock * 32, 0, stream>>>(d_a, d_b, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
