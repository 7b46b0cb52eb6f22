// SPDX-License-Identifier: MIT
// One thread per element, in blocks of 16 x 16 that cover the matrix.
// Your first kernel: find out which element is this thread's, and add.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

// d_sum = d_a + d_b, all three (height, width), row-major. Every thread runs this same code.
__global__ void matrix_add_kernel(const float* d_a, const float* d_b, int width, int height,
                                  float* d_sum) {
  // TODO 1. Which column and which row are this thread's? blockIdx.x blocks lie to the left of this
  //         block, each kBlockWidth columns wide, and threadIdx.x threads of its own row. Rows
  //         likewise, with y.
  // TODO 2. The blocks at the right and lower edge may reach past the matrix. What must their
  //         threads do there?
  // TODO 3. The matrix is one long array, row after row. How many elements lie before row `row`?
  //         And before this thread's element? Add the two elements there.
}

}  // namespace

void matrix_add(const float* d_a, const float* d_b, int width, int height, float* d_sum,
                cudaStream_t stream) {
  todo("01_matrix_add: write the kernel and its launch, then delete this line");

  const dim3 block(kBlockWidth, kBlockHeight);  // missing dimensions are 1
  // TODO 4. How many blocks cover `width` columns, how many cover `height` rows? Try 16, 17 and 32
  //         columns by hand. Why does std::ceil(width / kBlockWidth) give 1 for 17?
  // TODO 5. A grid without blocks is an error. When would that happen here?
  const dim3 grid(1, 1);
  matrix_add_kernel<<<grid, block, 0, stream>>>(d_a, d_b, width, height, d_sum);
  check_launch();  // a launch returns nothing: check whether it started
}

}  // namespace lab
