// SPDX-License-Identifier: MIT
// mutant of: 05_warp_tiled
// mistake: 16, shared memory read too early: one batch of copies too few is waited for
// expect: failed race
// also: wrong_result
// line: 122
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, a block
constexpr int kTileCols = 256;
constexpr int kTileDepth = 8;
constexpr int kStages = 3;     // tiles of A and B in shared memory: one in use, two on their way
constexpr int kWarpRows = 64;  // of C, a warp; 4 x 8 lanes
constexpr int kWarpCols = 64;
constexpr int kLaneRows = 4;
constexpr int kLaneCols = 8;
constexpr int kWarpsAcross = kTileCols / kWarpCols;
constexpr int kThreadsPerBlock = kTileRows / kWarpRows * kWarpsAcross * 32;
constexpr int kThreadRows = kWarpRows / kLaneRows;  // 16, as 4 vectors, kLaneRows vectors apart
constexpr int kThreadCols = kWarpCols / kLaneCols;  // 8, as 2 vectors, kLaneCols vectors apart
constexpr int kPaddedRows = kTileRows + 4;
constexpr int kBandRows = 16;  // tiles; see tile_of_block

// One tile of A, transposed and padded as in 03, and one of B.
struct alignas(16) Stage {
  float a[kTileDepth][kPaddedRows];
  float b[kTileDepth][kTileCols];
};

constexpr int kStageWords = sizeof(Stage) / sizeof(float);

// What a thread multiplies in one step: a column of A's tile, a row of B's.
struct Fragment {
  alignas(16) float a[kThreadRows];
  alignas(16) float b[kThreadCols];
};

struct Matrices {
  const float* d_a;  // (num_rows, depth)
  const float* d_b;  // (depth, num_cols)
  float* d_c;        // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

// Blocks run roughly in order. Going down bands of kBandRows rows of tiles, those that run together
// cover an area that is about as high as wide, which has the shortest border: the least to read.
__device__ int2 tile_of_block(int block, int num_tile_rows, int num_tile_cols) {
  const int tiles_per_band = kBandRows * num_tile_cols;
  const int first_row = block / tiles_per_band * kBandRows;
  const int band_rows = min(kBandRows, num_tile_rows - first_row);
  const int in_band = block % tiles_per_band;
  return make_int2(in_band / band_rows, first_row + in_band % band_rows);
}

// Starts copying kWords neighbouring words to shared memory; or writes 0 where `inside` is false.
template <int kWords>
__device__ void copy_async(float* words, const float* d_words, bool inside) {
  if (inside) {
    __pipeline_memcpy_async(words, d_words, kWords * sizeof(float));
  } else {
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = 0.0f;
  }
}

// This thread's share of the copies: the same places of every tile.
// kWhole: no tile of the whole matrix crosses an edge, and B can be copied in vectors.
template <bool kWhole>
class Copier {
 public:
  __device__ Copier(const Matrices& m, int first_row, int first_col)
      : rows_left_(m.num_rows - first_row - a_row_),
        cols_left_(m.num_cols - first_col - b_col_),
        depth_(m.depth),
        num_cols_(m.num_cols),
        d_a_(m.d_a + (first_row + a_row_) * m.depth + a_k_),
        d_b_(m.d_b + b_k_ * m.num_cols + first_col + b_col_) {}

  // Starts copying the next tiles along the depth.
  __device__ void start(Stage& stage) {
#pragma unroll
    for (int row = 0; row < kTileRows; row += kARows) {  // words: they are transposed on the way
      const bool inside = kWhole || (row < rows_left_ && first_k_ + a_k_ < depth_);
      copy_async<1>(&stage.a[a_k_][a_row_ + row], d_a_ + row * depth_, inside);
    }
#pragma unroll
    for (int k = 0; k < kTileDepth; k += kBDepth) {
      const bool inside = kWhole || (0 < cols_left_ && first_k_ + b_k_ + k < depth_);
      copy_async<kBWords>(&stage.b[b_k_ + k][b_col_], d_b_ + k * num_cols_, inside);
    }
    first_k_ += kTileDepth;
    d_a_ += kTileDepth;
    d_b_ += kTileDepth * num_cols_;
  }

 private:
  static constexpr int kBWords = kWhole ? 4 : 1;
  static constexpr int kARows = kThreadsPerBlock / kTileDepth;  // that all threads copy at a time
  static constexpr int kBDepth = kThreadsPerBlock * kBWords / kTileCols;

  const int a_k_ = threadIdx.x % kTileDepth;
  const int a_row_ = threadIdx.x / kTileDepth;
  const int b_k_ = threadIdx.x * kBWords / kTileCols;
  const int b_col_ = threadIdx.x * kBWords % kTileCols;
  const int rows_left_, cols_left_, depth_, num_cols_;
  int first_k_ = 0;
  const float* d_a_;  // the next word, or vector, to copy
  const float* d_b_;
};

// Reads step k of a stage; a and b: this thread's first vectors of step 0.
__device__ void load_fragment(Fragment& fragment, const float* a, const float* b, int k) {
#pragma unroll
  for (int i = 0; i < kThreadRows; i += 4) {
    *reinterpret_cast<float4*>(&fragment.a[i]) =
        *reinterpret_cast<const float4*>(a + k * kPaddedRows + i * kLaneRows);
  }
#pragma unroll
  for (int j = 0; j < kThreadCols; j += 4) {
    *reinterpret_cast<float4*>(&fragment.b[j]) =
        *reinterpret_cast<const float4*>(b + k * kTileCols + j * kLaneCols);
  }
}

// Writes four neighbouring words of a row that is `width` words long.
template <bool kWhole>
__device__ void store4(float* d_row, int first, int width, const float* words) {
  if constexpr (kWhole) {
    *reinterpret_cast<float4*>(d_row + first) = *reinterpret_cast<const float4*>(words);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (first + i < width) d_row[first + i] = words[i];
    }
  }
}

// One block an SM: it needs over 200 registers a thread, and hides latency by itself.
template <bool kWhole>
__global__ void __launch_bounds__(kThreadsPerBlock, 1) warp_tiled_kernel(Matrices m) {
  __shared__ Stage stages[kStages];
  const int2 tile =
      tile_of_block(blockIdx.x, ceil_div(m.num_rows, kTileRows), ceil_div(m.num_cols, kTileCols));
  const int first_row = tile.y * kTileRows;
  const int first_col = tile.x * kTileCols;
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int my_row = warp_id / kWarpsAcross * kWarpRows + lane_id / kLaneCols * 4;
  const int my_col = warp_id % kWarpsAcross * kWarpCols + lane_id % kLaneCols * 4;
  const int num_steps = ceil_div(m.depth, kTileDepth);

  Copier<kWhole> copier(m, first_row, first_col);
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < num_steps) copier.start(stages[step]);
    __pipeline_commit();  // a batch a step, even an empty one: waiting counts batches
  }
  __pipeline_wait_prior(kStages - 1);
  __syncthreads();  // stage 0 is full: a thread waits for its own copies, the barrier for all

  alignas(16) float sums[kThreadRows][kThreadCols] = {};
  Fragment fragments[2];  // one is multiplied while the other is loaded
  const float* a_now = &stages[0].a[0][my_row];
  const float* b_now = &stages[0].b[0][my_col];
  if (num_steps > 0) load_fragment(fragments[0], a_now, b_now, 0);
  int in_use = 0;             // the stage that is multiplied
  int to_fill = kStages - 1;  // the stage that was multiplied last
  for (int step = 0; step < num_steps; ++step) {
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      if (k == 0) {  // nobody has read to_fill since the last barrier
        if (step + kStages - 1 < num_steps) copier.start(stages[to_fill]);
        __pipeline_commit();
      }
      if (k == kTileDepth - 1) {
        __pipeline_wait_prior(kStages - 1);  // all batches but the newest have arrived
        __syncthreads();  // the next stage is full, and all have read the last of this one
        to_fill = in_use;
        in_use = in_use + 1 < kStages ? in_use + 1 : 0;
        const int stages_ahead = in_use == 0 ? 1 - kStages : 1;
        a_now += stages_ahead * kStageWords;  // pointers that move cost less than stages[in_use]
        b_now += stages_ahead * kStageWords;
      }
      if (k + 1 < kTileDepth || step + 1 < num_steps) {
        load_fragment(fragments[(k + 1) % 2], a_now, b_now, (k + 1) % kTileDepth);
      }
      const Fragment& now = fragments[k % 2];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadCols; ++j) sums[i][j] += now.a[i] * now.b[j];
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    const int row = first_row + my_row + i / 4 * 4 * kLaneRows + i % 4;
    if (!kWhole && row >= m.num_rows) continue;
#pragma unroll
    for (int j = 0; j < kThreadCols; j += 4) {
      store4<kWhole>(m.d_c + row * m.num_cols, first_col + my_col + j * kLaneCols, m.num_cols,
                     &sums[i][j]);
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_rows, kTileRows) * ceil_div(num_cols, kTileCols);
  const bool whole =
      num_rows % kTileRows == 0 && num_cols % kTileCols == 0 && depth % kTileDepth == 0;
  const auto kernel = whole ? warp_tiled_kernel<true> : warp_tiled_kernel<false>;
  kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>({d_a, d_b, d_c, num_rows, num_cols, depth});
  check_launch();
}

}  // namespace lab
