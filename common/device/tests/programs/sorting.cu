// SPDX-License-Identifier: MIT
// Bitonic sort over global and shared memory, and an odd-even sort
// with __syncthreads_or as its end.
#include <algorithm>
#include <vector>

#include "check.h"

template <typename Key>
__device__ inline void compare_exchange(Key& a, Key& b, bool ascending) {
  if ((a > b) == ascending) {
    Key t = a;
    a = b;
    b = t;
  }
}

__global__ void bitonic_step(float* data, int j, int k) {
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned int ixj = i ^ j;
  if (ixj > i) compare_exchange(data[i], data[ixj], (i & k) == 0);
}

template <typename Key, int LIMIT>
__global__ void bitonic_shared(Key* keys) {
  __shared__ Key s_keys[LIMIT];
  keys += blockIdx.x * LIMIT;
  s_keys[threadIdx.x] = keys[threadIdx.x];
  s_keys[threadIdx.x + LIMIT / 2] = keys[threadIdx.x + LIMIT / 2];
  for (unsigned size = 2; size <= LIMIT; size <<= 1) {
    const bool ascending = (threadIdx.x & (size / 2)) == 0 || size == LIMIT;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      compare_exchange(s_keys[pos], s_keys[pos + stride], ascending);
    }
  }
  __syncthreads();
  keys[threadIdx.x] = s_keys[threadIdx.x];
  keys[threadIdx.x + LIMIT / 2] = s_keys[threadIdx.x + LIMIT / 2];
}

__global__ void odd_even(int* data, int n) {
  const int i = threadIdx.x;
  int swapped;
  do {
    swapped = 0;
    for (int parity = 0; parity < 2; ++parity) {
      const int left = 2 * i + parity;
      if (left + 1 < n && data[left] > data[left + 1]) {
        const int t = data[left];
        data[left] = data[left + 1];
        data[left + 1] = t;
        swapped = 1;
      }
      __syncthreads();
    }
  } while (__syncthreads_or(swapped));
}

int main() {
  const int n = 256;
  float* values;
  int* keys;
  CHECK_CUDA(cudaMallocManaged(&values, n * sizeof(float)));
  CHECK_CUDA(cudaMallocManaged(&keys, n * sizeof(int)));
  for (int i = 0; i < n; ++i) values[i] = (i * 7919 % 1009) / 8.f, keys[i] = i * 31 % n;
  for (int k = 2; k <= n; k <<= 1)
    for (int j = k >> 1; j > 0; j = j >> 1) bitonic_step<<<n / 64, 64>>>(values, j, k);
  bitonic_shared<int, 128><<<2, 64>>>(keys);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(std::is_sorted(values, values + n));
  EXPECT(std::is_sorted(keys, keys + 128) && std::is_sorted(keys + 128, keys + n));
  for (int i = 0; i < 41; ++i) keys[i] = i * 29 % 41;
  odd_even<<<1, 21>>>(keys, 41);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 41; ++i) EXPECT(keys[i] == i);
  cudaFree(values);
  cudaFree(keys);
  return 0;
}
