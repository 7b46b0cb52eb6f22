// SPDX-License-Identifier: MIT
// One warp multiplies two tiles with wmma.
#include <mma.h>

using namespace nvcuda;

__global__ void multiply(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> tile_c;
  wmma::fill_fragment(tile_c, 0.0f);
  wmma::load_matrix_sync(tile_a, a, 16);
  wmma::load_matrix_sync(tile_b, b, 16);
  wmma::mma_sync(tile_c, tile_a, tile_b, tile_c);
  wmma::store_matrix_sync(c, tile_c, 16, wmma::mem_row_major);
}

int main() {
  half h_a[256], h_b[256];
  for (int i = 0; i < 256; ++i) {
    h_a[i] = __float2half(float(i % 3));
    h_b[i] = __float2half(float(i % 2));
  }
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, sizeof h_a);
  cudaMalloc(&d_b, sizeof h_b);
  cudaMalloc(&d_c, 256 * sizeof(float));
  cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice);
  multiply<<<1, 32>>>(d_a, d_b, d_c);
  float h_c[256];
  cudaMemcpy(h_c, d_c, sizeof h_c, cudaMemcpyDeviceToHost);
  float expected = 0;
  for (int i = 0; i < 16; ++i) expected += float((5 * 16 + i) % 3) * float((7 * 16 + i) % 2);
  const bool is_right = h_c[5 * 16 + 7] == expected;
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return is_right ? 0 : 1;
}
