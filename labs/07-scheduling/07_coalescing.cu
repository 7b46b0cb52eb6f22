// SPDX-License-Identifier: MIT
// Count the sectors of a request; then rewrite a kernel whose requests touch too many.
// The kernel below is right, and it moves several times the bytes that it needs.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kPointsPerThread = 4;

// Each thread takes kPointsPerThread points, one after the other.
__global__ void strided_kernel(const float* d_points, int num_points, float* d_x, float* d_y,
                               float* d_z) {
  const int first = (blockIdx.x * kThreadsPerBlock + threadIdx.x) * kPointsPerThread;
  for (int i = first; i < first + kPointsPerThread && i < num_points; ++i) {
    // TODO 1. Write each of these six indices as offset + threadIdx.x * stride. What does your
    //         classify_access say? Which of them are better if neighbouring threads take
    //         neighbouring points?
    // TODO 2. That leaves the reads. Which words would the 32 lanes have to read for one request
    //         of 4 sectors? Which points do they belong to? Where can threads exchange words?
    // TODO 3. In which order does a thread then read its point from there, and in which banks are
    //         the words that 32 lanes read at once?
    d_x[i] = d_points[3 * i];
    d_y[i] = d_points[3 * i + 1];
    d_z[i] = d_points[3 * i + 2];
  }
}

}  // namespace

AccessCost classify_access(int element_bytes, int offset, int stride_x, int stride_y,
                           int block_width) {
  todo("07_coalescing: classify_access");
  // TODO 4. The block's first warp: threads 0 to 31, numbered row by row. What are tx and ty of
  //         each, if the block is 8 threads wide? 100?
  // TODO 5. In which block of 32 bytes does a thread's element lie? How many different ones are
  //         there, and how many would 32 elements side by side fill?
  return {};
}

MatmulCost classify_matmul(int width, int block_width, bool column_from_x) {
  todo("07_coalescing: classify_matmul");
  // TODO 6. For k = 0 and block (0, 0), write each index with threadIdx.x and threadIdx.y in place
  //         of column and row. What is the factor of each?
  return {};
}

void split_points(const float* d_points, int num_points, float* d_x, float* d_y, float* d_z,
                  cudaStream_t stream) {
  todo("07_coalescing: split_points");

  if (num_points == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_points, kThreadsPerBlock * kPointsPerThread);
  strided_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_points, num_points, d_x, d_y, d_z);
  check_launch();
}

}  // namespace lab
