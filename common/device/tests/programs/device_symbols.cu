// SPDX-License-Identifier: MIT
// __device__ variables: counters, arrays reached through their address, a linked ticket.
#include "check.h"

__device__ int counter = 5;
__device__ float table[64];
__device__ struct Config {
  int offset;
  float gain;
} config;
static __device__ unsigned int ticket;
__device__ int* d_pointer;

__global__ void use_symbols(int* out) {
  const int old = atomicAdd(&counter, 1);
  table[threadIdx.x] = threadIdx.x * config.gain + config.offset;
  out[old - 5] = 1;
  if (threadIdx.x == 0) d_pointer[0] = 123;
}

__global__ void last_block_sums(const int* partial, int* result) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
    *result += sum;
  }
}

int main() {
  int *out, h_counter;
  CHECK_CUDA(cudaMallocManaged(&out, 64 * sizeof(int)));
  Config h_config = {7, 2.0f};
  CHECK_CUDA(cudaMemcpyToSymbol(config, &h_config, sizeof(Config)));
  CHECK_CUDA(cudaMemcpyToSymbol(d_pointer, &out, sizeof(out)));
  use_symbols<<<1, 64>>>(out);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpyFromSymbol(&h_counter, counter, sizeof(int)));
  EXPECT(h_counter == 69 && out[0] == 123 && out[63] == 1);
  float* d_table;
  float h_table[64];
  size_t size;
  CHECK_CUDA(cudaGetSymbolAddress((void**)&d_table, table));
  CHECK_CUDA(cudaGetSymbolSize(&size, table));
  EXPECT(size == sizeof(h_table));
  CHECK_CUDA(cudaMemcpy(h_table, d_table, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(h_table[i] == i * 2.0f + 7);
  CHECK_CUDA(cudaMemset(d_table, 0, size));
  CHECK_CUDA(cudaMemcpyFromSymbol(h_table, table, 4 * sizeof(float), 60 * sizeof(float)));
  EXPECT(h_table[0] == 0 && h_table[3] == 0);
  EXPECT(cudaMemcpyToSymbol(table, h_table, sizeof(h_table), 4) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);

  for (int i = 0; i < 64; ++i) out[i] = i;
  int* result;
  CHECK_CUDA(cudaMallocManaged(&result, sizeof(int)));
  *result = 0;
  for (int repeat = 0; repeat < 2; ++repeat) last_block_sums<<<64, 32>>>(out, result);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*result == 2 * 63 * 32);
  cudaFree(out);
  cudaFree(result);
  return 0;
}
