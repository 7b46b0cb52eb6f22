// SPDX-License-Identifier: MIT
// right: the tree of textbooks, with a barrier in each round outside of the branch.
#include <cstdio>

__global__ void sum(const int* in, int n, int* out) {
  extern __shared__ int tile[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, tile[0]);
}

int main() {
  int h_in[1000];
  for (int i = 0; i < 1000; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 1000 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  sum<<<8, 128, 128 * sizeof(int)>>>(d_in, 1000, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 499500 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
