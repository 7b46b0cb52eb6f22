// SPDX-License-Identifier: MIT
// right: cuda::pipeline of a thread, with two stages.
#include <cstdio>
#include <cuda/pipeline>

__global__ void sums(const int* in, int* out) {
  __shared__ int tiles[2][64];
  const int t = threadIdx.x;
  auto pipeline = cuda::make_pipeline();
  for (int i = 0; i < 2; ++i) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&tiles[i][t], &in[64 * i + t], sizeof(int), pipeline);
    pipeline.producer_commit();
  }
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    pipeline.consumer_wait();
    sum += tiles[i][t];
    pipeline.consumer_release();
  }
  out[t] = sum;
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  sums<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 66 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
