// SPDX-License-Identifier: MIT
// The tiles of 03, read from shared memory in float4: 64 multiply-adds take 4 loads, not 16.
// Start from your 03: its loops that load the tiles stay as they are.
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
constexpr int kPatches = 2;  // a thread has 2 x 2 patches of 4 x 4 outputs, half a tile apart

__global__ void __launch_bounds__(kThreadsPerBlock)
    shared_vectors_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                          float* d_c) {
  alignas(16) __shared__ float b_tile[kTileDepth][kTileCols];  // [k][col]
  float sums[kPatches * 4][kPatches * 4] = {};
  // TODO 1. Declare A's tile, and copy the loops of your 03 that load both tiles. A float4 in
  //         shared memory needs an address that is a multiple of 16. Does every row of A's tile
  //         start at one, with your row length of 03?
  // TODO 2. A float4 holds four neighbouring words, so four outputs of a thread must be neighbours.
  //         The hardware serves one load of 16 bytes for eight lanes at a time. Lay the 8 x 8
  //         outputs as four patches of 4 x 4, so that eight neighbouring lanes read 32 neighbouring
  //         words. Where does the first patch of thread (tx, ty) start, and where the others?
  // TODO 3. At each k, load the words of A and of B into registers: two float4 each. The 64
  //         multiply-adds are those of 03.
  // TODO 4. Write the outputs that exist, word by word. To which row and column does sums[i][j]
  //         belong now?
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03b_shared_vectors: write the kernel and its launch, then delete this line");

  // TODO 5. The grid of your 03.
  const dim3 grid(1, 1);
  shared_vectors_kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth,
                                                               d_c);
  check_launch();
}

}  // namespace lab
