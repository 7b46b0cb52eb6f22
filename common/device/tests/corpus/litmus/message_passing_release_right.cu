// SPDX-License-Identifier: MIT
// right: message passing by a store that releases and loads that acquire.
#include <cstdio>
#include <cuda/atomic>

__global__ void pass(int* message, int* word, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(*word);
  if (blockIdx.x == 0) {
    *message = 42;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = *message;
  }
}

int main() {
  int* d_words;
  cudaMalloc(&d_words, 64 * sizeof(int));
  cudaMemset(d_words, 0, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  pass<<<2, 1>>>(d_words, d_words + 32, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
