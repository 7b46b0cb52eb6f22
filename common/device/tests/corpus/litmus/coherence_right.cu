// SPDX-License-Identifier: MIT
// right: two atomic reads of one place never see a newer value first.
#include <cstdio>

__global__ void read_twice(int* word, int* out) {
  if (blockIdx.x == 0) {
    for (int i = 1; i < 100; ++i) atomicExch(word, i);
  } else {
    bool ordered = true;
    for (int i = 0; i < 100; ++i) {
      const int first = atomicAdd(word, 0), second = atomicAdd(word, 0);
      ordered &= first <= second;
    }
    out[0] = ordered;
  }
}

int main() {
  int* d_word;
  cudaMalloc(&d_word, sizeof(int));
  cudaMemset(d_word, 0, sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  read_twice<<<2, 1>>>(d_word, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1 ? "PASS" : "FAIL");
  cudaFree(d_word);
  cudaFree(d_out);
}
