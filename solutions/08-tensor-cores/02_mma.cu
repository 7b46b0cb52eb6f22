// SPDX-License-Identifier: MIT
// The instruction itself, mma.sync: every lane loads its words of the fragments, and stores its
// sums. So a warp can have 64 x 32 outputs, and use each fragment several times.
// New: fragments by hand, tiles of tiles. Limit: words of 2 and 4 bytes from global memory.
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k16".
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
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
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = g + 8 * (i % 2);
    const int k = 8 * (i / 2) + 2 * t;
    words[i] = *reinterpret_cast<const std::uint32_t*>(d_tile + row * depth + k);
  }
}

// The words of B's 16 x 8 tile. Two rows of a column are not neighbours: two loads for a word.
__device__ void load_b(std::uint32_t (&words)[2], const __nv_bfloat16* d_tile, int num_cols, int g,
                       int t) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const __nv_bfloat16* const d_pair = d_tile + (8 * i + 2 * t) * num_cols + g;
    words[i] = __bfloat16_as_ushort(d_pair[0]) |
               static_cast<std::uint32_t>(__bfloat16_as_ushort(d_pair[num_cols])) << 16;
  }
}

__global__ void __launch_bounds__(kWarpsPerBlock * 32)
    mma_kernel(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
               int depth, float* d_c) {
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  const int first_row = blockIdx.y * kWarpRows;
  const int first_col = (blockIdx.x * kWarpsPerBlock + threadIdx.x / 32) * kWarpCols;

  float sums[kTilesDown][kTilesAcross][4] = {};
  for (int k = 0; k < depth; k += kMmaDepth) {
    std::uint32_t a[kTilesDown][4] = {};  // zeros past the edge
#pragma unroll
    for (int i = 0; i < kTilesDown; ++i) {
      const int row = first_row + i * kMmaRows;
      if (row < num_rows) load_a(a[i], d_a + row * depth + k, depth, g, t);
    }
#pragma unroll
    for (int j = 0; j < kTilesAcross; ++j) {
      std::uint32_t b[2] = {};
      const int col = first_col + j * kMmaCols;
      if (col < num_cols) load_b(b, d_b + k * num_cols + col, num_cols, g, t);
#pragma unroll
      for (int i = 0; i < kTilesDown; ++i) multiply_bf16(sums[i][j], a[i], b);
    }
  }

#pragma unroll
  for (int i = 0; i < kTilesDown; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesAcross; ++j) {
      const int row = first_row + i * kMmaRows + g;
      const int col = first_col + j * kMmaCols + 2 * t;
      if (row >= num_rows || col >= num_cols) continue;
      float* const d_pair = d_c + row * num_cols + col;
      const float(&sum)[4] = sums[i][j];
      *reinterpret_cast<float2*>(d_pair) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(d_pair + 8 * num_cols) = make_float2(sum[2], sum[3]);
    }
  }
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kWarpsPerBlock * kWarpCols), ceil_div(num_rows, kWarpRows));
  mma_kernel<<<grid, kWarpsPerBlock * 32, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
