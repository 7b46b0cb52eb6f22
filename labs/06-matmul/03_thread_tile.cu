// SPDX-License-Identifier: MIT
// Each thread computes 8 x 8 outputs in registers: 16 words read from shared memory serve 64
// multiply-adds, where 02 reads two words for one.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, per block
constexpr int kTileCols = 128;
constexpr int kTileDepth = 8;
constexpr int kThreadsX = 16;  // a block's threads as a square
constexpr int kThreadsY = 16;
constexpr int kThreadsPerBlock = kThreadsX * kThreadsY;
constexpr int kThreadRows = kTileRows / kThreadsY;  // of C, per thread: 8 x 8
constexpr int kThreadCols = kTileCols / kThreadsX;

__global__ void __launch_bounds__(kThreadsPerBlock)
    thread_tile_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                       float* d_c) {
  __shared__ float b_tile[kTileDepth][kTileCols];  // [k][col]
  float sums[kThreadRows][kThreadCols] = {};       // registers, if every index in the
                                                   // unrolled code is a constant
  // TODO 1. Which tx and ty, of 0 to 15 each, are this thread's? threadIdx.x goes from 0 to 255. A
  //         thread has 64 outputs: 8 rows and 8 columns of the block's tile. First let its columns
  //         be 8 * tx to 8 * tx + 7. In which banks do the 16 threads with tx = 0 to 15 read one
  //         word each of a row of B's tile? Which other choice of columns has no conflict?
  // TODO 2. At each k a thread needs one column of A's tile. Two values of ty meet in a warp: keep
  //         A's tile as [k][row], so that they, too, read from different banks.
  // TODO 3. Load the tiles: 1024 words each by 256 threads, 4 per thread. Neighbouring threads read
  //         neighbouring words of the tile's rows, 8 words each, and write them transposed. In
  //         which banks do the 32 words of a warp land? Which row length of the shared array, a
  //         little over 128, spreads them over all 32?
  // TODO 4. Barriers as in 02. Between them, for each k: 8 words of A and 8 of B to registers, then
  //         64 multiply-adds. #pragma unroll on every loop over a register array.
  // TODO 5. Write the outputs that exist.
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03_thread_tile: write the kernel and its launch, then delete this line");

  // TODO 6. A block now covers kTileRows x kTileCols outputs with kThreadsPerBlock threads.
  const dim3 grid(1, 1);
  thread_tile_kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth,
                                                            d_c);
  check_launch();
}

}  // namespace lab
