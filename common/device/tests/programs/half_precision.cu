// SPDX-License-Identifier: MIT
// half, half2 and bfloat16: saxpy by pairs, a dot product with shuffles of half2, conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"

__global__ void haxpy(int n, half a, const half* x, half* y) {
  int start = threadIdx.x + blockDim.x * blockIdx.x;
  int stride = blockDim.x * gridDim.x;
  int n2 = n / 2;
  half2 *x2 = (half2*)x, *y2 = (half2*)y;
  for (int i = start; i < n2; i += stride) y2[i] = __hfma2(__halves2half2(a, a), x2[i], y2[i]);
  if (start == 0 && (n % 2)) y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}

__global__ void dot(const half2* a, const half2* b, int n2, float* result) {
  half2 sum = __float2half2_rn(0.f);
  for (int i = threadIdx.x; i < n2; i += 32) sum = __hadd2(sum, a[i] * b[i]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) *result = __low2float(sum) + __half2float(__high2half(sum));
}

__global__ void relu_bf16(__nv_bfloat16* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = __hmax(x[i], __float2bfloat16(0.0f));
}

template <typename T>
__global__ void generic_add(T* out, const T* in) {
  __shared__ T tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x] + T(1.0f);
}

int main() {
  const int n = 101;
  half *x, *y, *z;
  CHECK_CUDA(cudaMallocManaged(&x, n * sizeof(half)));
  CHECK_CUDA(cudaMallocManaged(&y, n * sizeof(half)));
  CHECK_CUDA(cudaMallocManaged(&z, 32 * sizeof(half)));
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(i * 0.25f);
    y[i] = __float2half(1.0f);
  }
  haxpy<<<1, 32>>>(n, __float2half(2.0f), x, y);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(__half2float(y[i]) == 1.0f + i * 0.5f);
  float* result;
  CHECK_CUDA(cudaMallocManaged(&result, sizeof(float)));
  for (int i = 0; i < n; ++i) x[i] = y[i] = half(i % 3);
  dot<<<1, 32>>>((half2*)x, (half2*)y, n / 2, result);
  CHECK_CUDA(cudaDeviceSynchronize());
  float expected = 0;
  for (int i = 0; i < n / 2 * 2; ++i) expected += (i % 3) * (i % 3);
  EXPECT(*result == expected);
  generic_add<<<1, 32>>>(z, x);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(float(z[i]) == (31 - i) % 3 + 1);
  EXPECT(__half2float(__float2half(1.0f / 3)) == 0.333251953125f);
  EXPECT(std::isinf(__half2float(__float2half(70000.f))));

  __nv_bfloat16* b;
  CHECK_CUDA(cudaMallocManaged(&b, 10 * sizeof(*b)));
  for (int i = 0; i < 10; ++i) b[i] = __float2bfloat16(i - 5.0f);
  relu_bf16<<<1, 32>>>(b, 10);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 10; ++i) EXPECT(__bfloat162float(b[i]) == fmaxf(0, i - 5.0f));
  cudaFree(x), cudaFree(y), cudaFree(z), cudaFree(b), cudaFree(result);
  return 0;
}
