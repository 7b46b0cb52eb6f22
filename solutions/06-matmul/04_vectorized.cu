// SPDX-License-Identifier: MIT
// The kernel of 03b, which now reads and writes global memory in float4, too: a quarter of the load
// and store instructions. New: A's tile is transposed on its way through registers, and a second
// instance of the kernel reads word by word, for rows that do not start on 16 bytes (depth or
// num_cols no multiple of 4). Limit: all threads load, wait, compute: while they load, no thread
// computes.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, per block
constexpr int kTileCols = 128;
constexpr int kTileDepth = 8;
constexpr int kThreadsX = 16;
constexpr int kThreadsY = 16;
constexpr int kThreadsPerBlock = kThreadsX * kThreadsY;
constexpr int kPatches = 2;  // a thread has 2 x 2 patches of 4 x 4 outputs, half a tile apart
constexpr int kPaddedRows = kTileRows + 4;
static_assert(kTileRows * kTileDepth == 4 * kThreadsPerBlock, "a vector of A's tile per thread");
static_assert(kTileDepth * kTileCols == 4 * kThreadsPerBlock, "a vector of B's tile per thread");

// Words [first, first + 4) of a row that is `width` words long; 0 past its end.
template <bool kVectors>
__device__ float4 load4(const float* d_row, int first, int width) {
  if (kVectors) {  // width and first are multiples of 4: all or nothing
    if (first < width) return *reinterpret_cast<const float4*>(d_row + first);
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  return make_float4(
      first < width ? d_row[first] : 0.0f, first + 1 < width ? d_row[first + 1] : 0.0f,
      first + 2 < width ? d_row[first + 2] : 0.0f, first + 3 < width ? d_row[first + 3] : 0.0f);
}

template <bool kVectors>
__device__ void store4(float* d_row, int first, int width, float4 words) {
  if (kVectors) {
    if (first < width) *reinterpret_cast<float4*>(d_row + first) = words;
    return;
  }
  if (first < width) d_row[first] = words.x;
  if (first + 1 < width) d_row[first + 1] = words.y;
  if (first + 2 < width) d_row[first + 2] = words.z;
  if (first + 3 < width) d_row[first + 3] = words.w;
}

// kVectors: depth and num_cols are multiples of 4, so every row of every matrix starts on 16 bytes.
template <bool kVectors>
__global__ void __launch_bounds__(kThreadsPerBlock)
    vectorized_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                      float* d_c) {
  alignas(16) __shared__ float a_tile[kTileDepth][kPaddedRows];  // [k][row]: transposed
  alignas(16) __shared__ float b_tile[kTileDepth][kTileCols];    // [k][col]
  const int t = threadIdx.x;
  const int first_row = blockIdx.y * kTileRows;
  const int first_col = blockIdx.x * kTileCols;
  const int a_row = t / (kTileDepth / 4);  // the vector of A's tile that this thread brings
  const int a_k = t % (kTileDepth / 4) * 4;
  const int b_k = t / (kTileCols / 4);  // ... and of B's
  const int b_col = t % (kTileCols / 4) * 4;
  const int my_row = t / kThreadsX * 4;  // where its first patch starts in the tile
  const int my_col = t % kThreadsX * 4;

  float sums[kPatches * 4][kPatches * 4] = {};
  for (int first_k = 0; first_k < depth; first_k += kTileDepth) {
    const int row = first_row + a_row;
    const float4 a_words =
        load4<kVectors>(d_a + row * depth, first_k + a_k, row < num_rows ? depth : 0);
    const int b_row = first_k + b_k;
    const float4 b_words =
        load4<kVectors>(d_b + b_row * num_cols, first_col + b_col, b_row < depth ? num_cols : 0);
    a_tile[a_k][a_row] = a_words.x;
    a_tile[a_k + 1][a_row] = a_words.y;
    a_tile[a_k + 2][a_row] = a_words.z;
    a_tile[a_k + 3][a_row] = a_words.w;
    *reinterpret_cast<float4*>(&b_tile[b_k][b_col]) = b_words;
    __syncthreads();  // the tiles are full
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      alignas(16) float a[kPatches * 4];
      alignas(16) float b[kPatches * 4];
#pragma unroll
      for (int patch = 0; patch < kPatches; ++patch) {  // 4 loads for 64 multiply-adds
        reinterpret_cast<float4*>(a)[patch] =
            *reinterpret_cast<const float4*>(&a_tile[k][my_row + patch * kTileRows / kPatches]);
        reinterpret_cast<float4*>(b)[patch] =
            *reinterpret_cast<const float4*>(&b_tile[k][my_col + patch * kTileCols / kPatches]);
      }
#pragma unroll
      for (int i = 0; i < kPatches * 4; ++i) {
#pragma unroll
        for (int j = 0; j < kPatches * 4; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();  // the tiles are free
  }

#pragma unroll
  for (int i = 0; i < kPatches * 4; ++i) {
    const int row = first_row + my_row + i / 4 * (kTileRows / kPatches) + i % 4;
    if (row >= num_rows) continue;
#pragma unroll
    for (int patch = 0; patch < kPatches; ++patch) {
      const float* words = &sums[i][patch * 4];
      store4<kVectors>(d_c + row * num_cols, first_col + my_col + patch * (kTileCols / kPatches),
                       num_cols, make_float4(words[0], words[1], words[2], words[3]));
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kTileCols), ceil_div(num_rows, kTileRows));
  const bool rows_are_aligned = depth % 4 == 0 && num_cols % 4 == 0;
  const auto kernel = rows_are_aligned ? vectorized_kernel<true> : vectorized_kernel<false>;
  kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
