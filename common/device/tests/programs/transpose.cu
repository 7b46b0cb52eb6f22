// SPDX-License-Identifier: MIT
// Matrix transposition: naive, and through a padded tile with a block of fewer rows than the tile.
#include <vector>

#include "check.h"

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transpose_naive(float* odata, const float* idata, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) odata[x * height + (y + j)] = idata[(y + j) * width + x];
}

template <typename T>
__global__ void transpose_tiled(T* odata, const T* idata, int width, int height) {
  __shared__ T tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename Launch>
void expect_transposed(Launch launch) {
  const int width = 70, height = 45;
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = i * 1.5f;
  float *d_in, *d_out;
  const auto bytes = in.size() * sizeof in[0];
  CHECK_CUDA(cudaMalloc(&d_in, bytes));
  CHECK_CUDA(cudaMalloc(&d_out, bytes));
  CHECK_CUDA(cudaMemcpy(d_in, &in[0], bytes, cudaMemcpyHostToDevice));
  dim3 dimGrid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM, 1);
  dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  launch(dimGrid, dimBlock, d_out, d_in, width, height);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(&out[0], d_out, bytes, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(out[x * height + y] == in[y * width + x]);
  cudaFree(d_in), cudaFree(d_out);
}

int main() {
  expect_transposed([](dim3 grid, dim3 block, float* out, const float* in, int w, int h) {
    transpose_naive<<<grid, block>>>(out, in, w, h);
  });
  expect_transposed([](dim3 grid, dim3 block, auto... args) {
    transpose_tiled<float><<<grid, block>>>(args...);
  });
  return 0;
}
