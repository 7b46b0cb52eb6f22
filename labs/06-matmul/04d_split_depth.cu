// SPDX-License-Identifier: MIT
// Which block does what: where tiles are few, several blocks share one, and each multiplies a part
// of the depth (split-K); where they are many, blocks that run together share rows and columns.
// Start from your 04c.
#include <cuda_pipeline.h>

#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kBandRows = 16;  // tiles

// TODO 1. Your 04c's tile, with all its constants, Stage and Fragment, and one more constant.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kThreadsPerBlock = 256;
  static constexpr int kBlocksPerMultiprocessor = 2;  // as many as registers allow
};

// What a kernel may rely on: tiles that cross no edge, or rows of B and C that start on 16 bytes.
enum class Rows { kWhole, kAligned, kAny };

struct Matrices {
  const float* d_a;  // (num_rows, depth)
  const float* d_b;  // (depth, num_cols)
  float* d_c;        // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

// Returns (column, row) of the tile that a block multiplies.
__device__ int2 tile_of_block(int block, int num_tile_rows, int num_tile_cols) {
  // TODO 2. Blocks run roughly in order, some hundreds at a time. Row by row, which rows of A and
  //         which columns of B do 128 neighbouring blocks of a 32 x 32 grid of tiles read? And in
  //         bands of kBandRows rows of tiles, column by column within a band?
  return make_int2(block % num_tile_cols, block / num_tile_cols);
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
  // TODO 3. What must C hold before the first block adds to it? Why must it be an atomic add?
}

// Block (x, y) multiplies tile x, from step y * steps_per_block on along the depth.
// Where gridDim.y is 1, it writes C; else the blocks of a tile add to C, which is zero at first.
template <Rows kRows>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock, Tile::kBlocksPerMultiprocessor)
    split_depth_kernel(Matrices m, int steps_per_block) {
  // TODO 4. Your 04c, from another first step on, and for fewer steps. How many does the last block
  //         of a tile take? In Rows::kWhole, which comparisons are left out, here and in the
  //         copies?
}

int num_tiles(const Matrices& m) {
  return ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols);
}

// How many steps along the depth a block takes.
int choose_steps_per_block(const Matrices& m) {
  // TODO 5. 1024 x 1024 outputs are 64 tiles, and an H200 has 132 multiprocessors that hold two
  //         blocks each. Into how many parts do you divide the depth, so that all are busy? What
  //         does each part cost? num_multiprocessors() is in lab/launch.cuh.
  return std::max(1, ceil_div(m.depth, kTileDepth));
}

void launch(const Matrices& m, cudaStream_t stream) {
  const int steps_per_block = choose_steps_per_block(m);
  const int num_splits = 1;
  // TODO 6. How many parts does that make? Set C to zero if blocks add to it. What must happen for
  //         depth 0? Which of the three kernels does a matrix get?
  const dim3 grid(num_tiles(m), num_splits);
  const auto kernel = split_depth_kernel<Rows::kAny>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m, steps_per_block);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04d_split_depth: write the kernel and its launch, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;
  launch({d_a, d_b, d_c, num_rows, num_cols, depth}, stream);
}

}  // namespace lab
