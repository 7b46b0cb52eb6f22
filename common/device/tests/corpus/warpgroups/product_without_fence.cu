// SPDX-License-Identifier: MIT
// race: the first product comes without wgmma.fence.
// at: start_product_transposed(sums, tile_descriptor(a), tile_descriptor(b));
#include <cstdio>

#include "lab/warpgroup_instructions.cuh"

using namespace lab;

// The product of two matrices of ones, 64 x 16 and 16 x 128.
__global__ void multiply(int* data) {
  __shared__ alignas(1024) __nv_bfloat16 a[64][64], b[128][64];
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) a[i / 64][i % 64] = __float2bfloat16(1);
  for (int i = threadIdx.x; i < 128 * 64; i += blockDim.x) b[i / 64][i % 64] = __float2bfloat16(1);
  publish_to_copies_and_products();
  __syncthreads();
  float sums[64] = {};
  start_product_transposed(sums, tile_descriptor(a), tile_descriptor(b));
  commit_products();
  wait_for_products<0>(sums);
  data[threadIdx.x] = static_cast<int>(sums[0] + sums[63]);
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  multiply<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[0] == 32 && h[127] == 32 ? "PASS" : "FAIL");
  cudaFree(d);
}
