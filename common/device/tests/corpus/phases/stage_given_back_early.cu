// SPDX-License-Identifier: MIT
// race: the consumer gives the stage back, and reads it then.
// at: sum += stages[stage][threadIdx.x - 32];
// at: stages[stage][threadIdx.x] = data[32 * i + threadIdx.x];
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void wait(std::uint64_t* barrier, int parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// Warp 0 fills two stages in turn, and warp 1 adds what they hold.
__global__ void sums(int* data) {
  __shared__ int stages[2][32];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x < 2) {
    ptx::mbarrier_init(&full[threadIdx.x], 32);
    ptx::mbarrier_init(&empty[threadIdx.x], 32);
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    const int stage = i % 2;
    if (threadIdx.x < 32) {
      wait(&empty[stage], i / 2 % 2 ^ 1);
      stages[stage][threadIdx.x] = data[32 * i + threadIdx.x];
      ptx::mbarrier_arrive(&full[stage]);
      continue;
    }
    wait(&full[stage], i / 2 % 2);
    ptx::mbarrier_arrive(&empty[stage]);
    sum += stages[stage][threadIdx.x - 32];
  }
  if (threadIdx.x >= 32) data[threadIdx.x - 32] = sum;
}

int main() {
  int h[256];
  for (int i = 0; i < 256; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[1] == 8 * 1 + 32 * 28 ? "PASS" : "FAIL");
  cudaFree(d);
}
