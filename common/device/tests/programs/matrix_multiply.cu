// SPDX-License-Identifier: MIT
// Matrix multiplication as in the programming guide: a struct by value, sub-matrices, tiles in
// shared memory with bounds, and a templated version with register blocking.
#include <cmath>
#include <vector>

#include "check.h"

#define TILE_WIDTH 16

typedef struct {
  int width, height, stride;
  float* elements;
} Matrix;

__device__ float get_element(const Matrix a, int row, int col) {
  return row < a.height && col < a.width ? a.elements[row * a.stride + col] : 0.0f;
}
__device__ void set_element(Matrix a, int row, int col, float value) {
  if (row < a.height && col < a.width) a.elements[row * a.stride + col] = value;
}

__global__ void multiply_tiled(Matrix a, Matrix b, Matrix c) {
  __shared__ float as[TILE_WIDTH][TILE_WIDTH];
  __shared__ float bs[TILE_WIDTH][TILE_WIDTH];
  const int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  const int col = blockIdx.x * TILE_WIDTH + threadIdx.x;
  float value = 0;
  for (int m = 0; m < (a.width + TILE_WIDTH - 1) / TILE_WIDTH; ++m) {
    as[threadIdx.y][threadIdx.x] = get_element(a, row, m * TILE_WIDTH + threadIdx.x);
    bs[threadIdx.y][threadIdx.x] = get_element(b, m * TILE_WIDTH + threadIdx.y, col);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE_WIDTH; ++k) value += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  set_element(c, row, col, value);
}

template <int TILE, int ROWS>
__global__ void multiply_blocked(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
  float sums[ROWS] = {0};
  const int col = blockIdx.x * TILE + threadIdx.x;
  for (int base = 0; base < k; base += TILE) {
    for (int r = threadIdx.y; r < TILE; r += TILE / ROWS) {
      const int row = blockIdx.y * TILE + r;
      as[r][threadIdx.x] =
          row < m && base + threadIdx.x < k ? a[row * k + base + threadIdx.x] : 0.f;
      bs[r][threadIdx.x] = base + r < k && col < n ? b[(base + r) * n + col] : 0.f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      for (int r = 0; r < ROWS; ++r)
        sums[r] += as[threadIdx.y + r * (TILE / ROWS)][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r) {
    const int row = blockIdx.y * TILE + threadIdx.y + r * (TILE / ROWS);
    if (row < m && col < n) c[row * n + col] = sums[r];
  }
}

int main(int argc, char** argv) {
  const int m = 45, n = 33, k = 50;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 5) - 2;
  Matrix d_a = {k, m, k}, d_b = {n, k, n}, d_c = {n, m, n};
  CHECK_CUDA(cudaMalloc(&d_a.elements, a.size() * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_b.elements, b.size() * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_c.elements, c.size() * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_a.elements, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_b.elements, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (int version = 0; version < 2; ++version) {
    CHECK_CUDA(cudaMemset(d_c.elements, 0xff, c.size() * sizeof(float)));
    if (version == 0) {
      dim3 block(TILE_WIDTH, TILE_WIDTH);
      dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
      multiply_tiled<<<grid, block>>>(d_a, d_b, d_c);
    } else {
      multiply_blocked<16, 4><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16 / 4)>>>(
          d_a.elements, d_b.elements, d_c.elements, m, n, k);
    }
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(
        cudaMemcpy(c.data(), d_c.elements, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
        EXPECT(c[row * n + col] == sum);
      }
    }
  }
  cudaFree(d_a.elements);
  cudaFree(d_b.elements);
  cudaFree(d_c.elements);
  return 0;
}
