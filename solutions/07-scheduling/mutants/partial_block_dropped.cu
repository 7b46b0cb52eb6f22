// SPDX-License-Identifier: MIT
// mutant of: 07_coalescing
// mistake: 4, the last, partial block is missing
// expect: failed output_unwritten
// also: launch_error
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kSectorBytes = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWordsPerBlock = 3 * kThreadsPerBlock;  // a point a thread

__global__ void coalesced_kernel(const float* d_points, int num_points, float* d_x, float* d_y,
                                 float* d_z) {
  __shared__ float words[kWordsPerBlock];  // of the block's points, in the order of d_points
  const int t = threadIdx.x;

  // Three requests of 32 neighbouring words each.
  const int first_point = blockIdx.x * kThreadsPerBlock;
  const int num_words = 3 * min(kThreadsPerBlock, num_points - first_point);
  for (int word = t; word < num_words; word += kThreadsPerBlock) {
    words[word] = d_points[3 * first_point + word];
  }
  __syncthreads();  // a thread's point was loaded by others

  // Lanes read words 3 apart: 32 different banks, as 3 and 32 have no common divisor.
  const int point = first_point + t;
  if (point < num_points) {
    d_x[point] = words[3 * t];
    d_y[point] = words[3 * t + 1];
    d_z[point] = words[3 * t + 2];
  }
}

}  // namespace

AccessCost classify_access(int element_bytes, int offset, int stride_x, int stride_y,
                           int block_width) {
  int sectors[kWarpSize];  // by lane
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int tx = lane % block_width;
    const int ty = lane / block_width;
    const int element = offset + tx * stride_x + ty * stride_y;
    sectors[lane] = element * element_bytes / kSectorBytes;
  }
  std::sort(sectors, sectors + kWarpSize);
  const int num_sectors = std::unique(sectors, sectors + kWarpSize) - sectors;
  return {num_sectors, num_sectors * kSectorBytes <= kWarpSize * element_bytes};
}

MatmulCost classify_matmul(int width, int block_width, bool column_from_x) {
  // What the index of each access grows by with tx and with ty. A's index has row * width, B's has
  // column, C's has both.
  const int row_x = column_from_x ? 0 : 1;
  const int column_x = 1 - row_x;
  const int row_y = 1 - row_x;
  const int column_y = row_x;
  const auto classify = [&](int of_row, int of_column) {
    return classify_access(sizeof(float), 0, of_row * row_x + of_column * column_x,
                           of_row * row_y + of_column * column_y, block_width);
  };
  return {classify(width, 0), classify(0, 1), classify(width, 1)};
}

void split_points(const float* d_points, int num_points, float* d_x, float* d_y, float* d_z,
                  cudaStream_t stream) {
  if (num_points == 0) return;  // a grid of 0 blocks is an error
  coalesced_kernel<<<num_points / kThreadsPerBlock, kThreadsPerBlock, 0, stream>>>(
      d_points, num_points, d_x, d_y, d_z);
  check_launch();
}

}  // namespace lab
