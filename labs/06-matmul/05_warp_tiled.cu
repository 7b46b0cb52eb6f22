// SPDX-License-Identifier: MIT
// Warp tiles of 64 x 64, 16 x 8 outputs per thread: 6 loads of shared memory for 128 multiply-adds.
// Copies run ahead of the tile that is multiplied, fragments ahead of the step.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, per block
constexpr int kTileCols = 256;
constexpr int kTileDepth = 8;
constexpr int kStages = 3;  // tiles of A and B in shared memory: one in use, two on their way
constexpr int kThreadsPerBlock = 256;  // 2 x 4 warps of 4 x 8 lanes
constexpr int kThreadRows = 16;        // of C, per thread
constexpr int kThreadCols = 8;

// One tile of A, transposed and padded as in 03, and one of B.
struct alignas(16) Stage {
  float a[kTileDepth][kTileRows + 4];
  float b[kTileDepth][kTileCols];
};

// What a thread multiplies in one step: a column of A's tile, a row of B's.
struct Fragment {
  alignas(16) float a[kThreadRows];
  alignas(16) float b[kThreadCols];
};

// kWhole: no tile crosses an edge of a matrix, so there is nothing to check.
template <bool kWhole>
__global__ void __launch_bounds__(kThreadsPerBlock, 1)
    warp_tiled_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                      float* d_c) {
  __shared__ Stage stages[kStages];
  Fragment fragments[2];
  // TODO 1. First without any overlap: 03's loop with the new shapes. A warp computes 64 x 64
  //         outputs with 4 x 8 lanes; a lane's vectors are 4 * 4 rows and 4 * 8 columns apart.
  // TODO 2. Then fragments: while fragments[k % 2] is multiplied, load fragments[(k + 1) % 2]. With
  //         the loop over k unrolled both are registers. What is loaded at the last k?
  // TODO 3. Then stages: __pipeline_memcpy_async(&stage.b[k][col], d_b + ..., 16) returns at once.
  //         Start the copies of tile s + 2 while tile s is multiplied. A is transposed on the way:
  //         copies of 4 bytes. __pipeline_commit() ends a batch; __pipeline_wait_prior(N) waits for
  //         all of this thread's batches but the newest N. Which N?
  // TODO 4. That a thread's own copies have arrived says nothing about the others'. One barrier per
  //         tile is enough: where do you put it, and which two things does it guarantee?
  // TODO 5. Tiles at an edge: copy what is inside, store 0 for the rest.
  // TODO 6. Blocks that run at the same time should share rows of A and columns of B in the L2
  //         cache. About 132 run at once: which tiles should they be? Number the grid's blocks so.
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_warp_tiled: write the kernel and its launch, then delete this line");

  const bool whole =
      num_rows % kTileRows == 0 && num_cols % kTileCols == 0 && depth % kTileDepth == 0;
  const int num_blocks = 1;
  const auto kernel = whole ? warp_tiled_kernel<true> : warp_tiled_kernel<false>;
  kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
