// SPDX-License-Identifier: MIT
// Copies to shared memory run two tiles ahead, and fragments one step ahead, so the tensor cores
// need not wait. Warps have 64 x 64 outputs: an instruction needs less shared memory.
// Start from your 03.
#include <cuda_pipeline.h>

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
constexpr int kChunk = 8;     // bfloat16 in 16 bytes: one copy, and a row of ldmatrix
constexpr int kBandRows = 8;  // blocks that run together share rows of A and columns of B

// A block's tile of C, divided into warps' tiles, and how deep its tiles of A and B are.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = 64;
  static constexpr int kWarpRows = 64;
  static constexpr int kWarpCols = 64;
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

// kRows x kCols numbers in chunks, swizzled as in 03.
template <int kRows, int kCols>
struct SharedTile {
  static constexpr int kChunksPerRow = kCols / kChunk;
  uint4 chunks[kRows * kChunksPerRow];

  __device__ uint4* at(int row, int chunk) {
    return &chunks[0];  // TODO 1. That of your 03.
  }
};

struct Stage {
  SharedTile<Tile::kRows, Tile::kDepth> a;
  SharedTile<Tile::kDepth, Tile::kCols> b;
};

// This thread's share of the copies: the same places of every tile. The swizzle repeats after eight
// rows and after eight chunks, so all are at constant distances from the first.
struct Copier {
  __device__ Copier(const Matrices& m, int first_row, int first_col)
      : rows_left_(m.num_rows - first_row - row_),
        cols_left_(m.num_cols - first_col - chunk_ * kChunk),
        depth_(m.depth),
        num_cols_(m.num_cols),
        d_a_(m.d_a + (first_row + row_) * m.depth + chunk_ * kChunk),
        d_b_(m.d_b + row_ * m.num_cols + first_col + chunk_ * kChunk) {}

  // Starts copying the next tiles along the depth; zeros past the edges.
  __device__ void start(Stage& stage) {
    // TODO 2. Of A's tile, this thread copies chunk_ of the rows row_, row_ + kRowsAtATime, and so
    //         on. Of B's tile, it copies every kChunksAtATime-th chunk of such rows. Which of them
    //         are inside of the matrices?
    first_k_ += Tile::kDepth;
    d_a_ += Tile::kDepth;
    d_b_ += Tile::kDepth * num_cols_;
  }

  static constexpr int kChunksAtATime = Tile::kDepth / kChunk;
  static constexpr int kRowsAtATime = Tile::kThreads / kChunksAtATime;

  const int row_ = threadIdx.x / kChunksAtATime;
  const int chunk_ = threadIdx.x % kChunksAtATime;
  const int rows_left_, cols_left_;
  const int depth_, num_cols_;
  int first_k_ = 0;
  const __nv_bfloat16* d_a_;  // the next chunk to copy
  const __nv_bfloat16* d_b_;
};

// A warp's operands for one step of kMmaDepth.
struct Fragments {
  std::uint32_t a[Tile::kMmasDown][4];
  std::uint32_t b[Tile::kMmasAcross / 2][4];  // each for two products side by side

  // TODO 3. Load them from a stage, as your 03 does. How many bytes of shared memory does a warp
  //         read for one product, now and in 03?
  __device__ void load(Stage& stage, int warp_row, int warp_col, int k) {}
};

// Numbers the tiles down bands, column by column; the last band may have fewer rows.
__device__ int2 tile_of_block(int block, int tiles_down, int tiles_across) {
  // TODO 4. As in lab 06, rung 04d: which tiles do the first 132 blocks have? How many rows of A
  //         and columns of B do they need together?
  return make_int2(0, 0);
}

template <int kStages>
__global__ void __launch_bounds__(Tile::kThreads, 1) async_kernel(Matrices m) {
  extern __shared__ uint4 shared_words[];
  Stage* const stages = reinterpret_cast<Stage*>(shared_words);  // kStages of them
  const int2 tile = tile_of_block(blockIdx.x, ceil_div(m.num_rows, Tile::kRows),
                                  ceil_div(m.num_cols, Tile::kCols));
  const int first_row = tile.y * Tile::kRows;
  const int first_col = tile.x * Tile::kCols;
  const int num_steps = ceil_div(m.depth, Tile::kDepth);
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int warp_row = warp_id / Tile::kWarpsAcross * Tile::kWarpRows;  // in the block's tile
  const int warp_col = warp_id % Tile::kWarpsAcross * Tile::kWarpCols;

  Copier copier(m, first_row, first_col);
  const auto start_copies = [&](int step) {
    copier.start(stages[step % kStages]);  // zeros after the last step: waiting counts batches
    __pipeline_commit();
  };
  // TODO 5. Start the copies of the first kStages - 1 steps. In step s, start those of step
  //         s + kStages - 1. Which barrier makes sure that their stage is free?

  float sums[Tile::kMmasDown][Tile::kMmasAcross][4] = {};
  Fragments fragments[2];  // one is multiplied while the other is loaded
  // TODO 6. Load the fragments of a step before you multiply those of the step before. Where do you
  //         wait for copies, and for how many batches? Where is the barrier?

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

// Starts the kernel with kStages stages, if a block can have so much shared memory.
template <int kStages>
bool launch(const Matrices& m, cudaStream_t stream) {
  constexpr int kSharedBytes = kStages * sizeof(Stage);
  int device = 0;
  int most_bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (kSharedBytes > most_bytes) return false;
  check(cudaFuncSetAttribute(async_kernel<kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes));
  const int num_tiles = ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols);
  async_kernel<kStages><<<num_tiles, Tile::kThreads, kSharedBytes, stream>>>(m);
  check_launch();
  return true;
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04_async: write the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  if (!launch<3>(m, stream)) launch<2>(m, stream);  // 144 KiB, or 96 KiB
}

}  // namespace lab
