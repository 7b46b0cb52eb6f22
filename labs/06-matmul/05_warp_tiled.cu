// SPDX-License-Identifier: MIT
// Warp tiles of 64 x 64, 8 x 16 outputs per thread: 6 loads of shared memory for 128 multiply-adds.
// Small matrices keep the tile of 04d. Start from your 04d.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kRowsPerThread = 8;

// How C is divided: a block's tile into warps' tiles, those into outputs of threads.
template <int kTileRows, int kTileCols, int kWarpRows, int kWarpCols, int kBlocks>
struct Tile {
  // TODO 1. 04d's constants, Stage and Fragment, from these parameters. How many outputs does a
  //         thread of each tile below have, and how many registers do sums and fragments take?
  static constexpr int kRows = kTileRows;
  static constexpr int kCols = kTileCols;
  static constexpr int kThreadsPerBlock = kTileRows / kWarpRows * (kTileCols / kWarpCols) * 32;
  static constexpr int kBlocksPerMultiprocessor = kBlocks;  // as many as registers allow
};
using LargeTile = Tile<128, 256, 64, 64, 1>;
using SmallTile = Tile<128, 128, 32, 64, 2>;

struct Matrices {
  const float* d_a;  // (num_rows, depth)
  const float* d_b;  // (depth, num_cols)
  float* d_c;        // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock, Tile::kBlocksPerMultiprocessor)
    warp_tiled_kernel(Matrices m, int steps_per_block) {
  // TODO 2. Your 04d, with the tile as a parameter. Count for both tiles: the loads of shared
  //         memory per multiply-add, and the warps of a multiprocessor. What hides the latency of a
  //         load if there are only 8 warps?
  // TODO 3. Look at the machine code of the loop over k, as stages.md shows. Is it unrolled? Is
  //         anything in it besides multiply-adds, loads and copies? Does it spill registers?
}

template <class Tile>
void launch(const Matrices& m, cudaStream_t stream) {
  const int steps_per_block = 1;
  const dim3 grid(ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols), 1);
  warp_tiled_kernel<Tile><<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m, steps_per_block);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_warp_tiled: write the kernel and its launch, then delete this line");

  // TODO 4. Which tile for which matrices? 4096 x 4096 outputs are 512 large tiles, 1024 x 1024
  //         only 32. What share of the device is idle in the last wave?
  launch<SmallTile>({d_a, d_b, d_c, num_rows, num_cols, depth}, stream);
}

}  // namespace lab
