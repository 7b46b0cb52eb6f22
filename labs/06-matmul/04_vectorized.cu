// SPDX-License-Identifier: MIT
// The same tiles, moved in float4: a quarter of the load instructions, global and shared.
// Start from your 03.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;  // and the tiles of 03

// Words [first, first + 4) of a row that is `width` words long; 0 past its end.
template <bool kVectors>
__device__ float4 load4(const float* d_row, int first, int width) {
  // TODO 1. With kVectors, first and width are multiples of 4, and d_row is 16-byte aligned: one
  //         load, or none. Without, up to four single words.
  return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// kVectors: every row of every matrix starts on 16 bytes.
template <bool kVectors>
__global__ void __launch_bounds__(kThreadsPerBlock)
    vectorized_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                      float* d_c) {
  const float4 words = load4<kVectors>(d_a, 0, depth);
  // TODO 2. Each thread brings one float4 of A's tile and one of B's. A's lies along k, but the
  //         tile is kept as [k][row]: take it apart. Do the four stores of a warp still spread over
  //         the banks, with your row length of 03? Must that be a multiple of 4 now?
  // TODO 3. A float4 in shared memory needs an address that is a multiple of 16: declare the tiles
  //         alignas(16). One load serves eight lanes at a time. Choose a thread's 8 x 8
  //         outputs as four patches of 4 x 4, so that eight neighbouring lanes read 32 neighbouring
  //         words. How many loads per step are left for 64 multiply-adds?
  // TODO 4. Write C in float4 as well, where its rows allow it.
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04_vectorized: write the kernel and its launch, then delete this line");

  // TODO 5. d_a is 256-byte aligned. When is row 1 of A 16-byte aligned? Of B, of C?
  const bool rows_are_aligned = false;
  const dim3 grid(1, 1);
  const auto kernel = rows_are_aligned ? vectorized_kernel<true> : vectorized_kernel<false>;
  kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
