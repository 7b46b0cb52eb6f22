// SPDX-License-Identifier: MIT
// A product of matrices of half by a warp's ldmatrix and mma.sync, in inline PTX.
#include <cuda_fp16.h>

#include "check.h"

constexpr int kRows = 16, kColumns = 8, kDepth = 64, kStep = 16;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// c (kRows x kColumns, by rows) = a (by rows) * b (kDepth x kColumns, by rows).
__global__ void multiply(const __half* a, const __half* b, float* c) {
  __shared__ alignas(16) __half tile_a[kRows * kStep];
  __shared__ alignas(16) __half tile_b[kStep * kColumns];
  const int t = threadIdx.x;
  float sum[4] = {};
  for (int begin = 0; begin < kDepth; begin += kStep) {
    __syncthreads();
    for (int i = t; i < kRows * kStep; i += 32)
      tile_a[i] = a[i / kStep * kDepth + begin + i % kStep];
    for (int i = t; i < kStep * kColumns; i += 32) tile_b[i] = b[begin * kColumns + i];
    __syncthreads();
    unsigned a0, a1, a2, a3, b0, b1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                 : "r"(shared_address(&tile_a[t % 16 * kStep + t / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b0), "=r"(b1)
                 : "r"(shared_address(&tile_b[t % 16 * kColumns])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  for (int i = 0; i < 4; ++i) {
    c[(t / 4 + i / 2 * 8) * kColumns + t % 4 * 2 + i % 2] = sum[i];
  }
}

int main() {
  __half *a, *b;
  float* c;
  CHECK_CUDA(cudaMallocManaged(&a, kRows * kDepth * sizeof(__half)));
  CHECK_CUDA(cudaMallocManaged(&b, kDepth * kColumns * sizeof(__half)));
  CHECK_CUDA(cudaMallocManaged(&c, kRows * kColumns * sizeof(float)));
  for (int i = 0; i < kRows * kDepth; ++i) a[i] = __float2half(static_cast<float>(i % 7 - 3));
  for (int i = 0; i < kDepth * kColumns; ++i) b[i] = __float2half(static_cast<float>(i % 5 - 2));
  multiply<<<1, 32>>>(a, b, c);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      int expected = 0;
      for (int k = 0; k < kDepth; ++k) {
        expected += ((row * kDepth + k) % 7 - 3) * ((k * kColumns + column) % 5 - 2);
      }
      EXPECT(c[row * kColumns + column] == static_cast<float>(expected));
    }
  }
  CHECK_CUDA(cudaFree(a));
  CHECK_CUDA(cudaFree(b));
  CHECK_CUDA(cudaFree(c));
  return 0;
}
