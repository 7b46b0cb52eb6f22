// SPDX-License-Identifier: MIT
// One thread per output: one row of A times one column of B, straight from global memory.
// Right for every shape, and slow: it reads two words for each multiply-add.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

// One thread per element of d_c (num_rows, num_cols).
__global__ void naive_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, float* d_c) {
  // TODO 1. Which element is this thread's? One of row and column follows from blockIdx.x and
  //         threadIdx.x, the other from blockIdx.y and threadIdx.y. The 32 threads of a warp differ
  //         in threadIdx.x only: which choice makes them read neighbouring words of B, and write
  //         neighbouring words of C?
  // TODO 2. Blocks at the right and lower edge have more threads than there are elements. What must
  //         those do?
  // TODO 3. Add up depth products in a register; write the sum once. Where does element (row, k) of
  //         A lie, and where element (k, col) of B? The rows of the two differ in length.
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_naive: write the kernel and its launch, then delete this line");

  // TODO 4. How many blocks cover num_cols columns, how many num_rows rows? What if that is none?
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(1, 1);
  naive_kernel<<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();  // a launch returns nothing: check whether it started
}

}  // namespace lab
