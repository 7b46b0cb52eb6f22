// SPDX-License-Identifier: MIT
// A block's tiles of A and B in shared memory, from where ldmatrix loads four 8 x 8 matrices at a
// time. An exclusive or moves the chunks of a row, so that no two of eight rows share a bank.
// New: tiles in shared memory, ldmatrix, swizzle. Limit: a block loads or multiplies, by turns.
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
constexpr int kChunk = 8;  // bfloat16 in 16 bytes: what a lane copies, and a row of ldmatrix

// A block's tile of C, divided into warps' tiles, and how deep its tiles of A and B are.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kDepth = 64;
  static constexpr int kWarpRows = 64;
  static constexpr int kWarpCols = 32;
  static constexpr int kWarpsAcross = kCols / kWarpCols;
  static constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
  static constexpr int kMmasDown = kWarpRows / kMmaRows;
  static constexpr int kMmasAcross = kWarpCols / kMmaCols;
};

struct Matrices {
  const __nv_bfloat16* d_a;  // (num_rows, depth)
  const __nv_bfloat16* d_b;  // (depth, num_cols)
  float* d_c;                // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

// kRows x kCols numbers in chunks. Chunk c of row r lies at c ^ r % 8 in its row: eight rows of a
// matrix have their chunks at eight different places, modulo 8, and 8 chunks are 32 banks.
template <int kRows, int kCols>
struct SharedTile {
  static constexpr int kChunksPerRow = kCols / kChunk;
  uint4 chunks[kRows * kChunksPerRow];

  __device__ uint4* at(int row, int chunk) {
    return &chunks[row * kChunksPerRow + (chunk ^ row % 8)];
  }

  // Copies the tile that starts at (first_row, first_col) of a matrix; zeros past its edges.
  __device__ void copy(const __nv_bfloat16* d_matrix, int num_rows, int num_cols, int first_row,
                       int first_col) {
#pragma unroll
    for (int first = 0; first < kRows * kChunksPerRow; first += Tile::kThreads) {
      const int i = first + threadIdx.x;
      const int row = first_row + i / kChunksPerRow;
      const int col = first_col + i % kChunksPerRow * kChunk;
      const bool inside = row < num_rows && col < num_cols;
      *at(i / kChunksPerRow, i % kChunksPerRow) =
          inside ? *reinterpret_cast<const uint4*>(d_matrix + row * num_cols + col)
                 : make_uint4(0, 0, 0, 0);
    }
  }
};

__global__ void __launch_bounds__(Tile::kThreads) swizzle_kernel(Matrices m) {
  __shared__ SharedTile<Tile::kRows, Tile::kDepth> a_tile;
  __shared__ SharedTile<Tile::kDepth, Tile::kCols> b_tile;
  const int first_row = blockIdx.y * Tile::kRows;
  const int first_col = blockIdx.x * Tile::kCols;
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int warp_row = warp_id / Tile::kWarpsAcross * Tile::kWarpRows;  // in the block's tile
  const int warp_col = warp_id % Tile::kWarpsAcross * Tile::kWarpCols;

  float sums[Tile::kMmasDown][Tile::kMmasAcross][4] = {};
  for (int first_k = 0; first_k < m.depth; first_k += Tile::kDepth) {
    a_tile.copy(m.d_a, m.num_rows, m.depth, first_row, first_k);
    b_tile.copy(m.d_b, m.depth, m.num_cols, first_k, first_col);
    __syncthreads();  // both tiles are full
#pragma unroll
    for (int k = 0; k < Tile::kDepth; k += kMmaDepth) {
      // Lanes 0 to 15 name the first chunks of 16 rows, lanes 16 to 31 the second ones.
      std::uint32_t a[Tile::kMmasDown][4];
#pragma unroll
      for (int i = 0; i < Tile::kMmasDown; ++i) {
        load_matrices(a[i],
                      a_tile.at(warp_row + i * kMmaRows + lane_id % 16, k / kChunk + lane_id / 16));
      }
#pragma unroll
      for (int j = 0; j < Tile::kMmasAcross; j += 2) {
        std::uint32_t b[4];  // of two products: 16 rows of B and 2 chunks
        load_transposed(b, b_tile.at(k + lane_id % 16, warp_col / kChunk + j + lane_id / 16));
#pragma unroll
        for (int i = 0; i < Tile::kMmasDown; ++i) {
          multiply_bf16(sums[i][j], a[i], {b[0], b[1]});
          multiply_bf16(sums[i][j + 1], a[i], {b[2], b[3]});
        }
      }
    }
    __syncthreads();  // all have read the tiles, before the next ones overwrite them
  }

#pragma unroll
  for (int i = 0; i < Tile::kMmasDown; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kMmasAcross; ++j) {
      const int row = first_row + warp_row + i * kMmaRows + lane_id / 4;
      const int col = first_col + warp_col + j * kMmaCols + 2 * (lane_id % 4);
      if (row >= m.num_rows || col >= m.num_cols) continue;
      float* const d_pair = m.d_c + row * m.num_cols + col;
      const float(&sum)[4] = sums[i][j];
      *reinterpret_cast<float2*>(d_pair) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(d_pair + 8 * m.num_cols) = make_float2(sum[2], sum[3]);
    }
  }
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  swizzle_kernel<<<grid, Tile::kThreads, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
