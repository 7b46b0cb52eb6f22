// SPDX-License-Identifier: MIT
// The instruction itself, mma.sync: every lane loads its words of the fragments, and stores its
// sums. So a warp can have 64 x 32 outputs, and use each fragment several times.
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k16".
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "lab/todo.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

constexpr int kMmaRows = 16;
constexpr int kMmaCols = 8;
constexpr int kMmaDepth = 16;

// A warp's tile of C, in tiles of one instruction.
constexpr int kWarpRows = 64;
constexpr int kWarpCols = 32;
constexpr int kTilesDown = kWarpRows / kMmaRows;
constexpr int kTilesAcross = kWarpCols / kMmaCols;
constexpr int kWarpsPerBlock = 4;  // neighbours in a row of tiles

// The words of A's 16 x 16 tile that starts at d_tile, for lane 4 * g + t.
__device__ void load_a(std::uint32_t (&words)[4], const __nv_bfloat16* d_tile, int depth, int g,
                       int t) {
  // TODO 1. Which row, and which first column, does word i hold? Draw the 16 x 16 tile for lane 5.
}

// The words of B's 16 x 8 tile that starts at d_tile.
__device__ void load_b(std::uint32_t (&words)[2], const __nv_bfloat16* d_tile, int num_cols, int g,
                       int t) {
  // TODO 2. A word holds two rows of one column. Where do they lie in memory, and which of them is
  //         in the lower half of the word?
}

__global__ void __launch_bounds__(kWarpsPerBlock * 32)
    mma_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
               int depth, float* d_c) {
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  const int first_row = blockIdx.y * kWarpRows;
  const int first_col = (blockIdx.x * kWarpsPerBlock + threadIdx.x / 32) * kWarpCols;

  float sums[kTilesDown][kTilesAcross][4] = {};
  // TODO 3. In each step along the depth, load kTilesDown fragments of A and kTilesAcross of B, and
  //         call multiply_bf16 for each pair. How often is each fragment used? What does a warp
  //         load where its tile reaches past an edge?
  // TODO 4. Store the sums, two at a time. Which rows and columns are they?
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_mma: write the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kWarpsPerBlock * kWarpCols), ceil_div(num_rows, kWarpRows));
  mma_kernel<<<grid, kWarpsPerBlock * 32, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
