// SPDX-License-Identifier: MIT
// Warp tiles of 64 x 64, 8 x 16 outputs per thread: 6 loads of shared memory for 128 multiply-adds.
// New: the tile is a parameter. Large matrices take the larger one, whose sums and fragments fill
// the registers of a multiprocessor with one block; small ones take the tile of 04d.
// Limit: multiply-adds take every issue slot that is not a load's.
#include <cuda_pipeline.h>

#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kStages = 3;  // tiles of A and B in shared memory: one in use, two on their way
constexpr int kRowsPerThread = 8;
constexpr int kBandRows = 16;  // tiles; see tile_of_block

// How C is divided: a block's tile into warps' tiles, those into outputs of threads, which lie in
// vectors of 4, kLaneRows vectors apart from row to row and kLaneCols from column to column.
template <int kTileRows, int kTileCols, int kWarpRows, int kWarpCols, int kBlocks>
struct Tile {
  static constexpr int kRows = kTileRows;
  static constexpr int kCols = kTileCols;
  static constexpr int kRowsPerWarp = kWarpRows;
  static constexpr int kColsPerWarp = kWarpCols;
  static constexpr int kLaneRows = kWarpRows / kRowsPerThread;
  static constexpr int kLaneCols = 32 / kLaneRows;
  static constexpr int kColsPerThread = kWarpCols / kLaneCols;
  static constexpr int kWarpsAcross = kTileCols / kWarpCols;
  static constexpr int kThreadsPerBlock = kTileRows / kWarpRows * kWarpsAcross * 32;
  static constexpr int kBlocksPerMultiprocessor = kBlocks;  // as many as registers allow
  static constexpr bool kTurns = kBlocks > 1;  // in the order of products; pays in small tiles

  // One tile of A, transposed and padded as in 03, and one of B.
  static constexpr int kPaddedRows = kTileRows + 4;
  struct alignas(16) Stage {
    float a[kTileDepth][kPaddedRows];
    float b[kTileDepth][kTileCols];
  };
  static constexpr int kStageWords = sizeof(Stage) / sizeof(float);

  // What a thread multiplies in one step: a column of A's tile, a row of B's.
  struct Fragment {
    alignas(16) float a[kRowsPerThread];
    alignas(16) float b[kColsPerThread];
  };
};
using LargeTile = Tile<128, 256, 64, 64, 1>;  // 8 x 16 outputs per thread: over 200 registers
using SmallTile = Tile<128, 128, 32, 64, 2>;  // 8 x 8: 4 loads of shared memory for 64 products

// What a kernel may rely on: tiles that cross no edge, or rows of B and C that start on 16 bytes.
enum class Rows { kWhole, kAligned, kAny };

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

// Starts copying kWords neighbouring words to shared memory, or zeros where `inside` is false.
template <int kWords>
__device__ void copy_async(float* words, const float* d_words, bool inside) {
  constexpr int kBytes = kWords * sizeof(float);
  __pipeline_memcpy_async(words, d_words, kBytes, inside ? 0 : kBytes);
}

// This thread's share of the copies: the same places of every tile.
template <class Tile, Rows kRows>
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
  __device__ void start(typename Tile::Stage& stage) {
    constexpr bool kWhole = kRows == Rows::kWhole;
#pragma unroll
    for (int row = 0; row < Tile::kRows; row += kARows) {  // words: they are transposed on the way
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
  static constexpr int kBWords = kRows == Rows::kAny ? 1 : 4;
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
template <class Tile>
__device__ void load_fragment(typename Tile::Fragment& fragment, const float* a, const float* b,
                              int k) {
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

__device__ void add4(float4* d_vector, float4 words) {
#if __CUDA_ARCH__ >= 900  // has one request for all four
  atomicAdd(d_vector, words);
#else
  atomicAdd(&d_vector->x, words.x);
  atomicAdd(&d_vector->y, words.y);
  atomicAdd(&d_vector->z, words.z);
  atomicAdd(&d_vector->w, words.w);
#endif
}

// Writes four neighbouring words of a row that is `width` words long, or adds them to it.
template <Rows kRows>
__device__ void put4(float* d_row, int first, int width, const float* words, bool adds) {
  if constexpr (kRows == Rows::kAny) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (first + i >= width) return;
      if (adds) {
        atomicAdd(&d_row[first + i], words[i]);
      } else {
        d_row[first + i] = words[i];
      }
    }
  } else {
    if (kRows == Rows::kAligned && first >= width) return;  // else all four are inside
    float4* const d_vector = reinterpret_cast<float4*>(d_row + first);
    const float4 vector = *reinterpret_cast<const float4*>(words);
    if (adds) {
      add4(d_vector, vector);
    } else {
      *d_vector = vector;
    }
  }
}

// Block (x, y) multiplies tile x over steps y * steps_per_block and following along the depth.
// Where gridDim.y is 1, it writes C; else the blocks of a tile add to C, which is zero at first.
template <class Tile, Rows kRows>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock, Tile::kBlocksPerMultiprocessor)
    warp_tiled_kernel(Matrices m, int steps_per_block) {
  __shared__ typename Tile::Stage stages[kStages];
  const int2 tile = tile_of_block(blockIdx.x, ceil_div(m.num_rows, Tile::kRows),
                                  ceil_div(m.num_cols, Tile::kCols));
  const int first_row = tile.y * Tile::kRows;
  const int first_col = tile.x * Tile::kCols;
  const int first_step = blockIdx.y * steps_per_block;
  const int num_steps = min(steps_per_block, ceil_div(m.depth, kTileDepth) - first_step);
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int my_row =
      warp_id / Tile::kWarpsAcross * Tile::kRowsPerWarp + lane_id / Tile::kLaneCols * 4;
  const int my_col =
      warp_id % Tile::kWarpsAcross * Tile::kColsPerWarp + lane_id % Tile::kLaneCols * 4;

  Copier<Tile, kRows> copier(m, first_row, first_col, first_step * kTileDepth);
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < num_steps) copier.start(stages[step]);
    __pipeline_commit();  // one batch per step, even an empty one: a wait counts batches
  }
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();  // stage 0 is full: a thread waits for its own copies, the barrier for all

  alignas(16) float sums[kRowsPerThread][Tile::kColsPerThread] = {};
  typename Tile::Fragment fragments[2];  // one is multiplied while the other is loaded
  const float* a_now = &stages[0].a[0][my_row];
  const float* b_now = &stages[0].b[0][my_col];
  if (num_steps > 0) load_fragment<Tile>(fragments[0], a_now, b_now, 0);
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
        load_fragment<Tile>(fragments[(k + 1) % 2], a_now, b_now, (k + 1) % kTileDepth);
      }
      const typename Tile::Fragment& now = fragments[k % 2];
#pragma unroll
      for (int i = 0; i < kRowsPerThread; ++i) {
#pragma unroll
        for (int turn = 0; turn < Tile::kColsPerThread; ++turn) {
          // Every other row backwards: it begins with the word of b that the last one ended with,
          // which a multiply-add need not read from the register file again.
          const bool backwards = Tile::kTurns && i % 2 == 1;
          const int j = backwards ? Tile::kColsPerThread - 1 - turn : turn;
          sums[i][j] += now.a[i] * now.b[j];
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i) {
    const int row = first_row + my_row + i / 4 * 4 * Tile::kLaneRows + i % 4;
    if (kRows != Rows::kWhole && row >= m.num_rows) continue;
#pragma unroll
    for (int j = 0; j < Tile::kColsPerThread; j += 4) {
      // Adding 0 copies the sums to registers that lie side by side, as the store of a vector needs
      // them. If the sums themselves lay so, the loop would be slower: see the README.
      alignas(16) float vector[4];
#pragma unroll
      for (int word = 0; word < 4; ++word) vector[word] = sums[i][j + word] + 0.0f;
      put4<kRows>(m.d_c + row * m.num_cols, first_col + my_col + j * Tile::kLaneCols, m.num_cols,
                  vector, gridDim.y > 1);
    }
  }
}

template <class Tile>
int num_tiles(const Matrices& m) {
  return ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols);
}

// Whether num_blocks keep nearly the whole device busy: the last wave of blocks may leave a part of
// it idle, and does so for as long as the others take.
template <class Tile>
bool fill_device(int num_blocks) {
  const int at_a_time = num_multiprocessors() * Tile::kBlocksPerMultiprocessor;
  return num_blocks >= 0.9 * at_a_time * ceil_div(num_blocks, at_a_time);
}

// How many steps along the depth a block takes: all of them if there are tiles enough, else so few
// that the device is full. Two at least, as each block has a whole tile of sums to add to C.
template <class Tile>
int choose_steps_per_block(const Matrices& m) {
  const int num_steps = ceil_div(m.depth, kTileDepth);
  for (int num_splits = 1; num_splits <= num_steps / 2; ++num_splits) {
    const int steps = ceil_div(num_steps, num_splits);
    if (fill_device<Tile>(num_tiles<Tile>(m) * ceil_div(num_steps, steps))) return steps;
  }
  return 2;
}

template <class Tile>
void launch(const Matrices& m, cudaStream_t stream) {
  const int steps_per_block = choose_steps_per_block<Tile>(m);
  const int num_splits = std::max(1, ceil_div(m.depth, steps_per_block * kTileDepth));
  const dim3 grid(num_tiles<Tile>(m), num_splits);
  if (num_splits > 1) {
    check(cudaMemsetAsync(m.d_c, 0, sizeof(float) * m.num_rows * m.num_cols, stream));
  }
  const bool aligned = m.num_cols % 4 == 0;
  const bool whole =
      m.num_rows % Tile::kRows == 0 && m.num_cols % Tile::kCols == 0 && m.depth % kTileDepth == 0;
  const auto kernel = whole     ? warp_tiled_kernel<Tile, Rows::kWhole>
                      : aligned ? warp_tiled_kernel<Tile, Rows::kAligned>
                                : warp_tiled_kernel<Tile, Rows::kAny>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m, steps_per_block);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  if (fill_device<LargeTile>(num_tiles<LargeTile>(m))) return launch<LargeTile>(m, stream);
  launch<SmallTile>(m, stream);
}

}  // namespace lab
