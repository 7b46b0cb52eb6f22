// SPDX-License-Identifier: MIT
// The same tiles and products, copied asynchronously: while a block multiplies one tile, the copies
// of the next one are on their way, without a register in between.
#include <cuda_pipeline.h>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileDepth = 8;
constexpr int kStages = 2;  // tiles of A and B in shared memory: one in use, one on its way

// A block's tile of C.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kThreadsPerBlock = 256;

  // One tile of A, transposed and padded as in 03, and one of B.
  static constexpr int kPaddedRows = kRows + 4;
  struct alignas(16) Stage {
    float a[kTileDepth][kPaddedRows];
    float b[kTileDepth][kCols];
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
  // TODO 1. __pipeline_memcpy_async(to, from, num_bytes, num_bytes_of_zeros) returns at once. When
  //         may this thread read the words? When may another thread?
}

// Starts this thread's share of the copies of the tiles that begin at first_row, first_col and
// first_k.
template <bool kVectors>
__device__ void start_copies(const Matrices& m, int first_row, int first_col, int first_k,
                             Tile::Stage& stage) {
  // TODO 2. A's tile is transposed on the way. How many words can one copy take, and how many
  //         copies does a thread start? Let eight neighbouring lanes read eight neighbouring words.
  // TODO 3. B's tile is not transposed. kVectors: every row of B starts on 16 bytes.
  // TODO 4. 04 computed the addresses in every round. Which part changes from tile to tile? (The
  //         solution makes this a class that keeps two pointers and moves them.)
}

// kVectors: num_cols is a multiple of 4, so every row of B and of C starts on 16 bytes.
template <bool kVectors>
__global__ void __launch_bounds__(Tile::kThreadsPerBlock) two_stages_kernel(Matrices m) {
  __shared__ Tile::Stage stages[kStages];
  // TODO 5. Start the copies of the first tile. Then, for each tile: wait for this thread's copies,
  //         one barrier, start the copies of the next tile, multiply as in 04.
  // TODO 6. 04 needed two barriers per tile. Name the two things that this one guarantees. What
  //         goes wrong if the copies start before it? And with the barrier before the wait?
  // TODO 7. __pipeline_commit() ends a batch. What does __pipeline_wait_prior(0) wait for, and what
  //         would __pipeline_wait_prior(1) leave open?
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04b_two_stages: write the copies and the kernel, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;
  const Matrices m{d_a, d_b, d_c, num_rows, num_cols, depth};
  const dim3 grid(ceil_div(num_cols, Tile::kCols), ceil_div(num_rows, Tile::kRows));
  const auto kernel = num_cols % 4 == 0 ? two_stages_kernel<true> : two_stages_kernel<false>;
  kernel<<<grid, Tile::kThreadsPerBlock, 0, stream>>>(m);
  check_launch();
}

}  // namespace lab
