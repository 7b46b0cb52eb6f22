// SPDX-License-Identifier: MIT
// Which block does what: where tiles are few, several blocks share one, and each multiplies a part
// of the depth (split-K); where they are many, blocks that run together share rows and columns.
#include <cuda_pipeline.h>

#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, per block
constexpr int kTileCols = 128;
constexpr int kTileDepth = 8;
constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kBandRows = 16;  // tiles

// What a kernel may rely on: tiles that cross no edge, or rows of B and C that start on 16 bytes.
enum class Rows { kWhole, kAligned, kAny };

// Returns (column, row) of the tile that a block multiplies.
__device__ int2 tile_of_block(int block, int num_tile_rows, int num_tile_cols) {
  // TODO 1. Blocks run roughly in order, some hundreds at a time. Row by row, which rows of A and
  //         which columns of B do 128 neighbouring blocks of a 32 x 32 grid of tiles read? And in
  //         bands of kBandRows rows of tiles, column by column within a band?
  return make_int2(block % num_tile_cols, block / num_tile_cols);
}

// Writes four neighbouring words of a row that is `width` words long, or adds them to it.
template <Rows kRows>
__device__ void put4(float* d_row, int first, int width, const float* words, bool adds) {
  // TODO 2. What must C hold before the first block adds to it? Why must it be an atomic add?
}

// Block (x, y) multiplies tile x over steps y * steps_per_block and following along the depth.
// Where gridDim.y is 1, it writes C; else the blocks of a tile add to C, which is zero at first.
template <Rows kRows>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    split_depth_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                       float* d_c, int steps_per_block) {
  // TODO 3. Your 04c, from another first step, and for fewer of them. How many has the last block
  // of
  //         a tile? In Rows::kWhole, which comparisons are left out?
}

// How many steps along the depth a block takes.
int choose_steps_per_block(int num_rows, int num_cols, int depth) {
  // TODO 4. 1024 x 1024 outputs are 64 tiles, and an H200 has 132 multiprocessors that hold two
  //         blocks each. Which number of parts keeps them busy? What does each part cost?
  return std::max(1, ceil_div(depth, kTileDepth));
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04d_split_depth: write the kernel and its launch, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;
  // TODO 5. Set C to zero if blocks add to it. What must happen for depth 0?
  const int steps_per_block = choose_steps_per_block(num_rows, num_cols, depth);
  const dim3 grid(ceil_div(num_cols, kTileCols) * ceil_div(num_rows, kTileRows), 1);
  const auto kernel = split_depth_kernel<Rows::kAny>;
  kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c,
                                                steps_per_block);
  check_launch();
}

}  // namespace lab
