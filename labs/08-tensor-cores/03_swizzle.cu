// SPDX-License-Identifier: MIT
// A block's tiles of A and B in shared memory, from where ldmatrix loads four 8 x 8 matrices at a
// time. An exclusive or moves the chunks of a row, so that no two of eight rows share a bank.
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

// kRows x kCols numbers in chunks.
template <int kRows, int kCols>
struct SharedTile {
  static constexpr int kChunksPerRow = kCols / kChunk;
  uint4 chunks[kRows * kChunksPerRow];

  __device__ uint4* at(int row, int chunk) {
    // TODO 1. Begin without a swizzle. How many bank conflicts does `check` count, and in which
    //         line? Then move each row's chunks by an exclusive or, so that there are none.
    return &chunks[0];
  }

  // Copies the tile that starts at (first_row, first_col) of a matrix; zeros past its edges.
  __device__ void copy(const __nv_bfloat16* d_matrix, int num_rows, int num_cols, int first_row,
                       int first_col) {
    // TODO 2. Each thread copies chunk threadIdx.x, threadIdx.x + Tile::kThreads, and so on, as a
    //         uint4. Which order of chunks makes neighbouring lanes read neighbouring chunks?
  }
};

__global__ void __launch_bounds__(Tile::kThreads) swizzle_kernel(Matrices m) {
  __shared__ SharedTile<Tile::kRows, Tile::kDepth> a_tile;
  __shared__ SharedTile<Tile::kDepth, Tile::kCols> b_tile;
  // TODO 3. Where do this block's and this warp's tiles of C begin?
  // TODO 4. Copy a tile of A and one of B, then multiply along their depth. Which two barriers does
  //         each round need, as in lab 06?
  // TODO 5. load_matrices loads a fragment of A. Which row and which chunk does each lane name?
  //         load_transposed loads fragments of B for two products. Why must it transpose?
  // TODO 6. Store the sums as in your 02, but not past the edges.
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03_swizzle: write the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  swizzle_kernel<<<grid, Tile::kThreads, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
