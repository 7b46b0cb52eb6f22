// SPDX-License-Identifier: MIT
// right: pinned memory is used again once the stream has ended its copy.
#include <cstdio>

__global__ void twice(int* items) { items[threadIdx.x] *= 2; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  int* h_items;
  cudaMallocHost(&h_items, 64 * sizeof(int));
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 64; ++i) h_items[i] = round;
    cudaMemcpyAsync(d_items, h_items, 64 * sizeof(int), cudaMemcpyHostToDevice, stream);
    twice<<<1, 64, 0, stream>>>(d_items);
    cudaMemcpyAsync(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    sum += h_items[63];
  }
  std::puts(sum == 6 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFreeHost(h_items);
  cudaStreamDestroy(stream);
}
