// SPDX-License-Identifier: MIT
// Dynamic shared memory: carved into arrays of two types, declared at namespace scope, as vectors,
// in templates of several types, more than 48 KiB.
#include <vector>

#include "check.h"

extern __shared__ int at_namespace_scope[];

__global__ void two_arrays(float* out, int n) {
  extern __shared__ __align__(sizeof(double)) unsigned char memory[];
  double* weights = reinterpret_cast<double*>(memory);
  float* values = (float*)&weights[n];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    weights[i] = i;
    values[i] = 0.5f * i;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = float(weights[n - 1 - i]) + values[i];
}

__device__ void rotate() {
  const int next = at_namespace_scope[(threadIdx.x + 1) % blockDim.x];
  __syncthreads();
  at_namespace_scope[threadIdx.x] = next;
}

__global__ void rotate_twice(int* out) {
  at_namespace_scope[threadIdx.x] = threadIdx.x;
  __syncthreads();
  rotate();
  __syncthreads();
  rotate();
  __syncthreads();
  out[threadIdx.x] = at_namespace_scope[threadIdx.x];
}

template <typename T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char raw_memory[];
  return reinterpret_cast<T*>(raw_memory);
}

template <typename T>
__global__ void reverse(T* data) {
  T* s = shared_memory<T>();
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void large(int* out, int n) {
  extern __shared__ int4 big[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) big[i] = make_int4(i, 0, 0, -i);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = big[n - 1 - i].x;
}

int main() {
  const int n = 100;
  float* f;
  int* p;
  CHECK_CUDA(cudaMallocManaged(&f, 64 * sizeof(double)));
  CHECK_CUDA(cudaMallocManaged(&p, 6000 * sizeof(int)));
  float* out;
  CHECK_CUDA(cudaMallocManaged(&out, n * sizeof(float)));
  two_arrays<<<1, 32, n*(sizeof(double) + sizeof(float))>>>(out, n);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(out[i] == n - 1 - i + 0.5f * i);

  rotate_twice<<<1, 64, 64 * sizeof(int)>>>(p);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(p[i] == (i + 2) % 64);
  reverse<<<1, 64, 64 * sizeof(int)>>>(p);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(p[63 - i] == (i + 2) % 64);
  double* d = (double*)f;
  for (int i = 0; i < 64; ++i) d[i] = i;
  reverse<double><<<1, 64, 64 * sizeof(double)>>>(d);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(d[i] == 63 - i);

  const int items = 5000, bytes = items * sizeof(int4);
  large<<<1, 128, bytes>>>(p, items);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK_CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  large<<<1, 128, bytes>>>(p, items);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < items; ++i) EXPECT(p[i] == items - 1 - i);
  cudaFree(f), cudaFree(p), cudaFree(out);
  return 0;
}
