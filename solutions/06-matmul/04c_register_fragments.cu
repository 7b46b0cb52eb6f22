// SPDX-License-Identifier: MIT
// Warps have tiles of their own, and a thread has two fragments in registers: while it multiplies
// one, the loads of the next are on their way.
// New: the last step of a tile loads the first fragment of the next one, so that one must be there
// earlier, and the copies get a third stage. Limit: small matrices are too few tiles for the
// device.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kStages = 3;  // tiles of A and B in shared memory: one in use, two on their way
constexpr int kRowsPerThread = 8;

// A block's tile of C, divided into warps' tiles, those into outputs of threads, which lie in
// vectors of 4, kLaneRows vectors apart from row to row and kLaneCols from column to column.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kRowsPerWarp = 32;
  static constexpr int kColsPerWarp = 64;
  static constexpr int kLaneRows = kRowsPerWarp / kRowsPerThread;
  static constexpr int kLaneCols = 32 / kLaneRows;
  static constexpr int kColsPerThread = kColsPerWarp / kLaneCols;
  static constexpr int kWarpsAcross = kCols / kColsPerWarp;
  static constexpr int kThreadsPerBlock = kRows / kRowsPerWarp * kWarpsAcross * 32;

  // One tile of A, transposed and padded as in 03, and one of B.
  static constexpr int kPaddedRows = kRows + 4;
  struct alignas(16) Stage {
    float a[kTileDepth][kPaddedRows];
    float b[kTileDepth][kCols];
  };
  static constexpr int kStageWords = sizeof(Stage) / sizeof(float);

  // What a thread multiplies in one step: a column of A's tile, a row of B's.
  struct Fragment {
    alignas(16) float a[kRowsPerThread];
    alignas(16) float b[kColsPerThread];
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

// Reads step k of a stage; a and b: this thread's first vectors of step 0.
__device__ void load_fragment(Tile::Fragment& fragment, const float* a, const float* b, int k) {
#pragma unroll
  for (int i = 0; i < kRowsPerThread; i += 4) {
    *reinterpret_cast<float4*>(&fragment.a[i]) =
        *reinterpret_cast<const float4*>(a + k * Tile::kPaddedRows + i * Tile::kLaneRows);
  }
#pragma unroll
  for (int j = 0; j < Tile::kColsPerThread; j += 4) {
    *reinterpret_cast<float4*>(&fragment.b[j]) =
        *reinterpret_cast<const float4*>(b + k * Tile::kCols + j * Tile::kLaneCols);
  }
}

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
__global__ void __launch_bounds__(Tile::kThreadsPerBlock) fragments_kernel(Matrices m) {
  __shared__ Tile::Stage stages[kStages];
  const int first_row = blockIdx.y * Tile::kRows;
  const int first_col = blockIdx.x * Tile::kCols;
  const int num_steps = ceil_div(m.depth, kTileDepth);
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int my_row =
      warp_id / Tile::kWarpsAcross * Tile::kRowsPerWarp + lane_id / Tile::kLaneCols * 4;
  const int my_col =
      warp_id % Tile::kWarpsAcross * Tile::kColsPerWarp + lane_id % Tile::kLaneCols * 4;

  Copier<kVectors> copier(m, first_row, first_col, 0);
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < num_steps) copier.start(stages[step]);
    __pipeline_commit();  // one batch per step, even an empty one: a wait counts batches
  }
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();  // stage 0 is full: a thread waits for its own copies, the barrier for all

  alignas(16) float sums[kRowsPerThread][Tile::kColsPerThread] = {};
  Tile::Fragment fragments[2];  // one is multiplied while the other is loaded
  const float* a_now = &stages[0].a[0][my_row];
  const float* b_now = &stages[0].b[0][my_col];
  if (num_steps > 0) load_fragment(fragments[0], a_now, b_now, 0);
  int in_use = 0;             // the stage that is multiplied
  int to_fill = kStages - 1;  // the stage that was multiplied last
  for (int step = 0; step < num_steps; ++step) {
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      if (k == 0) {  // no thread has read to_fill since the last barrier
        if (step + kStages - 1 < num_steps) copier.start(stages[to_fill]);
        __pipeline_commit();
      }
      if (k == kTileDepth - 1) {
        __pipeline_wait_prior(kStages - 2);  // all batches but the newest have arrived
        __syncthreads();  // the next stage is full, and all have read the last of this one
        to_fill = in_use;
        in_use = in_use + 1 < kStages ? in_use + 1 : 0;
        const int stages_ahead = in_use == 0 ? 1 - kStages : 1;
        a_now +=
            stages_ahead * Tile::kStageWords;  // pointers that move cost less than stages[in_use]
        b_now += stages_ahead * Tile::kStageWords;
      }
      if (k + 1 < kTileDepth || step + 1 < num_steps) {
        load_fragment(fragments[(k + 1) % 2], a_now, b_now, (k + 1) % kTileDepth);
      }
      const Tile::Fragment& now = fragments[k % 2];
#pragma unroll
      for (int i = 0; i < kRowsPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::kColsPerThread; ++j) sums[i][j] += now.a[i] * now.b[j];
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i) {
    const int row = first_row + my_row + i / 4 * 4 * Tile::kLaneRows + i % 4;
    if (row >= m.num_rows) continue;
#pragma unroll
    for (int j = 0; j < Tile::kColsPerThread; j += 4) {
      const float* words = &sums[i][j];
      store4<kVectors>(m.d_c + row * m.num_cols, first_col + my_col + j * Tile::kLaneCols,
                       m.num_cols, make_float4(words[0], words[1], words[2], words[3]));
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  const auto kernel = num_cols % 4 == 0 ? fragments_kernel<true> : fragments_kernel<false>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
