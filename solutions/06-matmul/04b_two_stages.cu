// SPDX-License-Identifier: MIT
// The same tiles and products, copied asynchronously: while a block multiplies one tile, the copies
// of the next one are on their way, without a register in between.
// New: cp.async into two stages, and so one barrier per tile. Limit: the products of a step wait
// for that step's loads from shared memory.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kStages = 2;   // tiles of A and B in shared memory: one in use, one on its way
constexpr int kPatches = 2;  // a thread has 2 x 2 patches of 4 x 4 outputs, half a tile apart

// A block's tile of C.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kThreadsX = 16;
  static constexpr int kThreadsY = 16;
  static constexpr int kThreadsPerBlock = kThreadsX * kThreadsY;

  // One tile of A, transposed and padded as in 03, and one of B.
  static constexpr int kPaddedRows = kRows + 4;
  struct alignas(16) Stage {
    float a[kTileDepth][kPaddedRows];
    float b[kTileDepth][kCols];
  };
};

struct Matrices {
  const float* d_a;  // (num_rows, depth)
  const float* d_b;  // (depth, num_cols)
  float* d_c;        // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

// Starts copying kWords neighbouring words to shared memory, or zeros where `inside` is false.
template <int kWords>
__device__ void copy_async(float* words, const float* d_words, bool inside) {
  constexpr int kBytes = kWords * sizeof(float);
  __pipeline_memcpy_async(words, d_words, kBytes, inside ? 0 : kBytes);
}

// This thread's share of the copies: the same places of every tile.
template <bool kVectors>
class Copier {
 public:
  __device__ Copier(const Matrices& m, int first_row, int first_col, int first_k)
      : rows_left_(m.num_rows - first_row - a_row_),
        cols_left_(m.num_cols - first_col - b_col_),
        depth_(m.depth),
        num_cols_(m.num_cols),
        first_k_(first_k),
        d_a_(m.d_a + (first_row + a_row_) * m.depth + first_k + a_k_),
        d_b_(m.d_b + (first_k + b_k_) * m.num_cols + first_col + b_col_) {}

  // Starts copying the next tiles along the depth.
  __device__ void start(Tile::Stage& stage) {
#pragma unroll
    for (int row = 0; row < Tile::kRows; row += kARows) {  // words: they are transposed on the way
      const bool inside = row < rows_left_ && first_k_ + a_k_ < depth_;
      copy_async<1>(&stage.a[a_k_][a_row_ + row], d_a_ + row * depth_, inside);
    }
#pragma unroll
    for (int k = 0; k < kTileDepth; k += kBDepth) {
      const bool inside = 0 < cols_left_ && first_k_ + b_k_ + k < depth_;
      copy_async<kBWords>(&stage.b[b_k_ + k][b_col_], d_b_ + k * num_cols_, inside);
    }
    first_k_ += kTileDepth;
    d_a_ += kTileDepth;
    d_b_ += kTileDepth * num_cols_;
  }

 private:
  static constexpr int kBWords = kVectors ? 4 : 1;
  static constexpr int kARows = Tile::kThreadsPerBlock / kTileDepth;  // copied at a time
  static constexpr int kBDepth = Tile::kThreadsPerBlock * kBWords / Tile::kCols;

  const int a_k_ = threadIdx.x % kTileDepth;
  const int a_row_ = threadIdx.x / kTileDepth;
  const int b_k_ = threadIdx.x * kBWords / Tile::kCols;
  const int b_col_ = threadIdx.x * kBWords % Tile::kCols;
  const int rows_left_, cols_left_, depth_, num_cols_;
  int first_k_;
  const float* d_a_;  // the next word, or vector, to copy
  const float* d_b_;
};

template <bool kVectors>
__device__ void store4(float* d_row, int first, int width, float4 words) {
  if (kVectors) {
    if (first < width) *reinterpret_cast<float4*>(d_row + first) = words;
    return;
  }
  if (first < width) d_row[first] = words.x;
  if (first + 1 < width) d_row[first + 1] = words.y;
  if (first + 2 < width) d_row[first + 2] = words.z;
  if (first + 3 < width) d_row[first + 3] = words.w;
}

// kVectors: num_cols is a multiple of 4, so every row of B and of C starts on 16 bytes.
template <bool kVectors>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock) two_stages_kernel(Matrices m) {
  __shared__ Tile::Stage stages[kStages];
  const int first_row = blockIdx.y * Tile::kRows;
  const int first_col = blockIdx.x * Tile::kCols;
  const int num_steps = ceil_div(m.depth, kTileDepth);
  const int my_row = threadIdx.x / Tile::kThreadsX * 4;  // where its first patch starts in the tile
  const int my_col = threadIdx.x % Tile::kThreadsX * 4;

  Copier<kVectors> copier(m, first_row, first_col, 0);
  if (num_steps > 0) copier.start(stages[0]);
  __pipeline_commit();
  float sums[kPatches * 4][kPatches * 4] = {};
  for (int step = 0; step < num_steps; ++step) {
    __pipeline_wait_prior(0);  // this thread's copies of this step have arrived
    __syncthreads();           // all threads' copies have, and all have read the other stage
    if (step + 1 < num_steps) copier.start(stages[(step + 1) % kStages]);
    __pipeline_commit();
    const Tile::Stage& now = stages[step % kStages];
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      alignas(16) float a[kPatches * 4];
      alignas(16) float b[kPatches * 4];
#pragma unroll
      for (int patch = 0; patch < kPatches; ++patch) {  // 4 loads for 64 multiply-adds
        reinterpret_cast<float4*>(a)[patch] =
            *reinterpret_cast<const float4*>(&now.a[k][my_row + patch * Tile::kRows / kPatches]);
        reinterpret_cast<float4*>(b)[patch] =
            *reinterpret_cast<const float4*>(&now.b[k][my_col + patch * Tile::kCols / kPatches]);
      }
#pragma unroll
      for (int i = 0; i < kPatches * 4; ++i) {
#pragma unroll
        for (int j = 0; j < kPatches * 4; ++j) sums[i][j] += a[i] * b[j];
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kPatches * 4; ++i) {
    const int row = first_row + my_row + i / 4 * (Tile::kRows / kPatches) + i % 4;
    if (row >= m.num_rows) continue;
#pragma unroll
    for (int patch = 0; patch < kPatches; ++patch) {
      const float* words = &sums[i][patch * 4];
      store4<kVectors>(m.d_c + row * m.num_cols,
                       first_col + my_col + patch * (Tile::kCols / kPatches), m.num_cols,
                       make_float4(words[0], words[1], words[2], words[3]));
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  const auto kernel = num_cols % 4 == 0 ? two_stages_kernel<true> : two_stages_kernel<false>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
