// SPDX-License-Identifier: MIT
// race: two plain reads of one place while another block writes it.
// at: const int first = *word, second = *word;
// at: *word = 1;
#include <cstdio>

__global__ void read_twice(int* word, int* out) {
  if (blockIdx.x == 0) {
    *word = 1;
  } else {
    const int first = *word, second = *word;
    out[0] = first <= second;
    out[1] = first + second;
  }
}

int main() {
  int* d_word;
  cudaMalloc(&d_word, sizeof(int));
  cudaMemset(d_word, 0, sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 2 * sizeof(int));
  read_twice<<<2, 1>>>(d_word, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1 ? "PASS" : "FAIL");
  cudaFree(d_word);
  cudaFree(d_out);
}
