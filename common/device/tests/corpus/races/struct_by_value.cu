// SPDX-License-Identifier: MIT
// race: structs are added by value, without a barrier between the rounds.
// at: if (t < stride) tile[t] = add(tile[t], tile[t + stride]);
#include <cstdio>

struct Sum {
  int value, count;
};

__device__ Sum add(Sum a, Sum b) { return {a.value + b.value, a.count + b.count}; }

__global__ void sum(const int* in, Sum* out) {
  __shared__ Sum tile[64];
  const int t = threadIdx.x;
  tile[t] = {in[t], 1};
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2)
    if (t < stride) tile[t] = add(tile[t], tile[t + stride]);
  if (t == 0) out[0] = tile[0];
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  Sum* d_out;
  cudaMalloc(&d_out, sizeof(Sum));
  sum<<<1, 64>>>(d_in, d_out);
  Sum h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out.value == 2016 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
