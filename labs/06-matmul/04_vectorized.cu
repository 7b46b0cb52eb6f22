// SPDX-License-Identifier: MIT
// The kernel of 03b, which now reads and writes global memory in float4, too: a quarter of the load
// and store instructions. Start from your 03b: its loop of products stays as it is.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;  // and the tiles of 03b

// Words [first, first + 4) of a row that is `width` words long; 0 past its end.
template <bool kVectors>
__device__ float4 load4(const float* d_row, int first, int width) {
  // TODO 1. With kVectors, first and width are multiples of 4, and d_row is 16-byte aligned: one
  //         load, or none. Without, up to four single words.
  return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// The other way: writes the same words, but none past the end of the row.
template <bool kVectors>
__device__ void store4(float* d_row, int first, int width, float4 words) {
  // TODO 2. The same two cases as in load4.
}

// kVectors: every row of every matrix starts on 16 bytes.
template <bool kVectors>
__global__ void __launch_bounds__(kThreadsPerBlock)
    vectorized_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                      float* d_c) {
  const float4 words = load4<kVectors>(d_a, 0, depth);
  // TODO 3. Each tile has 1024 words, so each of the 256 threads brings one float4 of A's and one
  //         of B's. Which row does thread t take, and which four words of it? What does load4 get
  //         as the width of a row that does not exist?
  // TODO 4. B's vector goes into its tile as it is. A's lies along k, but the tile is kept as
  //         [k][row]: store its four words one by one. Do the 32 words of each store land in
  //         different banks?
  // TODO 5. Write C in float4: each patch has four rows of four neighbouring outputs.
  store4<kVectors>(d_c, 0, num_cols, words);
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04_vectorized: write the kernel and its launch, then delete this line");

  // TODO 6. d_a is 256-byte aligned. When is row 1 of A 16-byte aligned? Of B, of C?
  const bool rows_are_aligned = false;
  const dim3 grid(1, 1);
  const auto kernel = rows_are_aligned ? vectorized_kernel<true> : vectorized_kernel<false>;
  kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
