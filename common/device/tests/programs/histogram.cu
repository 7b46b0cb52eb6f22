// SPDX-License-Identifier: MIT
// Histograms: global atomics, privatised in shared memory, and of several items per thread.
#include <cstring>
#include <vector>

#include "check.h"

#define NUM_BINS 64

__global__ void histo_global(const unsigned char* data, unsigned int* bins, size_t size) {
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  size_t stride = (size_t)blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&bins[data[i] % NUM_BINS], 1);
    i += stride;
  }
}

template <int ITEMS_PER_THREAD = 4>
__global__ void histo_shared(const uchar4* data, unsigned int* bins, int num_vectors) {
  __shared__ unsigned int temp[NUM_BINS];
  for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) temp[bin] = 0;
  __syncthreads();
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS_PER_THREAD;
  for (int j = 0; j < ITEMS_PER_THREAD; j++) {
    if (first + j >= num_vectors) break;
    const uchar4 v = data[first + j];
    atomicAdd(temp + v.x % NUM_BINS, 1u);
    atomicAdd(temp + v.y % NUM_BINS, 1u);
    atomicAdd(temp + v.z % NUM_BINS, 1u);
    atomicInc(temp + v.w % NUM_BINS, 0xffffffff);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
    if (temp[bin] > 0) atomicAdd(&bins[bin], temp[bin]);
}

int main(void) {
  const int size = 4096 + 4;
  std::vector<unsigned char> buffer(size);
  unsigned expected[NUM_BINS] = {0}, bins[NUM_BINS];
  unsigned state = 12345;
  for (auto& byte : buffer) {
    state = state * 1664525u + 1013904223u;
    byte = state >> 24;
    expected[byte % NUM_BINS]++;
  }
  unsigned char* dev_buffer;
  unsigned int* dev_bins;
  CHECK_CUDA(cudaMalloc((void**)&dev_buffer, size));
  CHECK_CUDA(cudaMalloc((void**)&dev_bins, sizeof(bins)));
  CHECK_CUDA(cudaMemcpy(dev_buffer, buffer.data(), size, cudaMemcpyHostToDevice));
  cudaDeviceProp prop;
  CHECK_CUDA(cudaGetDeviceProperties(&prop, 0));
  int blocks = prop.multiProcessorCount > 4 ? 4 : prop.multiProcessorCount;
  CHECK_CUDA(cudaMemset(dev_bins, 0, sizeof(bins)));
  histo_global<<<blocks * 2, 256>>>(dev_buffer, dev_bins, size);
  CHECK_CUDA(cudaMemcpy(bins, dev_bins, sizeof(bins), cudaMemcpyDeviceToHost));
  EXPECT(memcmp(bins, expected, sizeof(bins)) == 0);
  CHECK_CUDA(cudaMemset(dev_bins, 0, sizeof(bins)));
  histo_shared<>
      <<<(size / 4 + 4 * 96 - 1) / (4 * 96), 96>>>((const uchar4*)dev_buffer, dev_bins, size / 4);
  CHECK_CUDA(cudaMemcpy(bins, dev_bins, sizeof(bins), cudaMemcpyDeviceToHost));
  EXPECT(memcmp(bins, expected, sizeof(bins)) == 0);
  cudaFree(dev_bins);
  cudaFree(dev_buffer);
  return 0;
}
