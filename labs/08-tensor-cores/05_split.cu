// SPDX-License-Identifier: MIT
// Floats on tensor cores: each is the sum of two bfloat16, and three of the four products of parts
// matter. One product of three times the depth adds them up. Start from your 04.
// Source: G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype
// for Higher-Precision Computations", ARITH 2019.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "lab/todo.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

constexpr int kSplitThreads = 256;

// TODO 1. Copy the kernel and launch() of your 04: they multiply the parts and need no change.

enum class Part { kHigh, kLow };

// The bits of one part of x.
__device__ unsigned short part_of(float x, Part part) {
  // TODO 2. Which number is the high part, and which the low one? Why is their difference exact?
  return 0;
}

// The parts of each row of d_x (num_rows, row_size) in a row of d_parts (num_rows, 3 * row_size):
// first, second and third, one after the other. row_size is a multiple of 4.
__global__ void split_kernel(const float* d_x, int num_rows, int row_size, Part first, Part second,
                             Part third, __nv_bfloat16* d_parts) {
  // TODO 3. A thread reads a float4 and writes three times 8 bytes. Where does each of them go?
}

void split(const float* d_x, int num_rows, int row_size, Part first, Part second, Part third,
           __nv_bfloat16* d_parts, cudaStream_t stream) {
  if (num_rows == 0 || row_size == 0) return;
  const int num_blocks = ceil_div(num_rows * row_size, 4 * kSplitThreads);
  split_kernel<<<num_blocks, kSplitThreads, 0, stream>>>(d_x, num_rows, row_size, first, second,
                                                         third, d_parts);
  check_launch();
}

}  // namespace

void matmul_split(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  float* d_c, Scratch& scratch, cudaStream_t stream) {
  todo("05_split: write the kernels, then delete this line");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  __nv_bfloat16* const d_a_parts =
      scratch.allocate<__nv_bfloat16>(std::size_t{3} * num_rows * depth);
  __nv_bfloat16* const d_b_parts =
      scratch.allocate<__nv_bfloat16>(std::size_t{3} * depth * num_cols);
  // TODO 4. Which three parts of A meet which three parts of B? Which product comes first, so that
  //         the small ones do not vanish in a large sum?
  // TODO 5. Which shape has the product of the parts?
}

}  // namespace lab
