// SPDX-License-Identifier: MIT
// right: lanes that take the branch name themselves by a ballot made before it.
#include <cstdio>

__global__ void compact(const int* in, int* out) {
  const int lane = threadIdx.x, item = in[lane];
  const unsigned odd = __ballot_sync(0xffffffffu, item % 2);
  if (item % 2) {
    const int rank = __popc(odd & ((1u << lane) - 1));
    const int first = __shfl_sync(odd, item, __ffs(odd) - 1);
    out[rank] = item - first;
  }
}

int main() {
  int h_in[32];
  for (int i = 0; i < 32; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 32 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  compact<<<1, 32>>>(d_in, d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[15] == 30 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
