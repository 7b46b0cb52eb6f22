// SPDX-License-Identifier: MIT
// Warps have tiles of their own, and a thread has two fragments in registers: while it multiplies
// one, the loads of the next are on their way. Start from your 04b.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kStages = 3;  // tiles of A and B in shared memory: one in use, two on their way
constexpr int kRowsPerThread = 8;

// A block's tile of C, divided into warps' tiles. In its warp's tile, a thread has 8 x 8 outputs:
// its rows are two vectors of 4, kLaneRows vectors apart, and its columns are two, kLaneCols apart.
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

  // TODO 1. Stage is your 04b's, and so are copy_async() and start_copies() below.

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

// Reads step k of a stage; a and b: this thread's first vectors of step 0.
__device__ void load_fragment(Tile::Fragment& fragment, const float* a, const float* b, int k) {
  // TODO 2. Two float4 of A and two of B. How far apart are a thread's vectors? How many different
  //         vectors of A does a warp read in one load, and how many of B? How many were there in
  //         04b?
}

template <bool kVectors>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock) fragments_kernel(Matrices m) {
  Tile::Fragment fragments[2];  // one is multiplied while the other is loaded
  // TODO 3. At which row and column of the block's tile do this thread's outputs begin? Compute
  //         them from its warp and its lane.
  // TODO 4. In step k, load fragments[(k + 1) % 2], then multiply fragments[k % 2]. Why are both in
  //         registers only if the loop over k is unrolled?
  // TODO 5. What does the last step of a tile load? So when must the next tile's copies be there,
  //         and where does the barrier go? And the last step of the last tile, or depth 0?
  // TODO 6. In 04b, copies had the time of a whole tile. How much is left now? Copy into a third
  //         stage, two tiles ahead. Which N does __pipeline_wait_prior(N) need, and why must every
  //         round commit a batch?
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04c_register_fragments: write the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  const auto kernel = num_cols % 4 == 0 ? fragments_kernel<true> : fragments_kernel<false>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
