// SPDX-License-Identifier: MIT
// race: one warp multiplies a tile that the other warp may not have filled yet.
// at: wmma::load_matrix_sync(left, tile, 16);
// at: wmma::load_matrix_sync(right, tile, 16);
// at: for (int i = threadIdx.x; i < 16 * 16; i += blockDim.x) tile[i] = in[i];
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

__global__ void square(const half* in, float* out) {
  using namespace nvcuda;
  __shared__ half tile[16 * 16];
  for (int i = threadIdx.x; i < 16 * 16; i += blockDim.x) tile[i] = in[i];
  if (threadIdx.x >= 32) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, tile, 16);
  wmma::load_matrix_sync(right, tile, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}

int main() {
  half h_in[256];
  float h_out[256];
  for (int i = 0; i < 256; ++i) h_in[i] = __int2half_rn(i / 16 == i % 16 ? 3 : 0);
  half* d_in;
  float* d_out;
  cudaMalloc(&d_in, sizeof h_in);
  cudaMalloc(&d_out, sizeof h_out);
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  square<<<1, 64>>>(d_in, d_out);
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 9 && h_out[17] == 9 && h_out[1] == 0 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
