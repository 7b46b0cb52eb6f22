// SPDX-License-Identifier: MIT
// right: a message handed on by a third block, with a release and an acquire at each step.
#include <cstdio>
#include <cuda/atomic>

__global__ void hand_on(int* words, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> first(words[32]), second(words[64]);
  if (blockIdx.x == 0) {
    words[0] = 42;
    first.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (first.load(cuda::memory_order_acquire) == 0) {
    }
    second.store(1, cuda::memory_order_release);
  } else {
    while (second.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = words[0];
  }
}

int main() {
  int* d_words;
  cudaMalloc(&d_words, 96 * sizeof(int));
  cudaMemset(d_words, 0, 96 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  hand_on<<<3, 1>>>(d_words, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
