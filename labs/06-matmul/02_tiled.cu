// SPDX-License-Identifier: MIT
// A block computes a square tile of C. Along the depth it goes in steps of one tile of A and one of
// B, and in each step its threads load both tiles into shared memory together.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 32;        // a block of 32 x 32 = 1024 threads, the most there can be
constexpr int kPartialTileWidth = 2;  // of matmul_partial, small enough to follow by hand

// Adds the first num_tiles tiles along the depth. One thread per output, kWidth x kWidth per block.
template <int kWidth>
__global__ void tiled_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, int num_tiles, float* d_c) {
  // TODO 1. Declare two tiles of kWidth x kWidth floats in shared memory: __shared__.
  // TODO 2. Which row and column of C are this thread's? Count blocks in tiles.
  // TODO 3. In round `tile`, each thread loads one word of A's tile and one of B's. Which, so that
  //         threads with neighbouring threadIdx.x read neighbouring words both times?
  // TODO 4. The last tiles reach past the edges of A and B. What must shared memory hold for
  //         the words there? And why may a thread that has no output not simply return at the top?
  // TODO 5. Each thread adds kWidth products from the tiles. Its words of the tiles were loaded by
  //         other threads: what must come before the loop?
  // TODO 6. The next round overwrites the tiles. Which threads may still read them, so
  //         what must come after the loop?
  // TODO 7. After the last round, write the sum, if there is an element for it.
}

// Runs the kernel over the whole of C.
template <int kWidth>
void launch_tiled(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  int num_tiles, float* d_c, cudaStream_t stream) {
  // TODO 8. The grid: how many tiles are there across, how many down? And if there are none?
  const dim3 block(kWidth, kWidth);
  const dim3 grid(1, 1);
  tiled_kernel<kWidth>
      <<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_tiled: write the kernel and its launch, then delete this line and the other one below");

  launch_tiled<kTileWidth>(d_a, d_b, num_rows, num_cols, depth, ceil_div(depth, kTileWidth), d_c,
                           stream);
}

// The judge looks at your sums between the tiles through this function: the same kernel in tiles of
// 2 x 2, stopped after num_tiles of them. The handout has the numbers.
void matmul_partial(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                    int num_tiles, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_tiled: delete this line, too");

  launch_tiled<kPartialTileWidth>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c, stream);
}

}  // namespace lab
