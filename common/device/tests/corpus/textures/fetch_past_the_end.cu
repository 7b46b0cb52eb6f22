// SPDX-License-Identifier: MIT
// out_of_bounds: tex1Dfetch has no address mode that would keep the last thread inside.
// at: if (i < n) out[i] = tex1Dfetch<int>(in, i) + tex1Dfetch<int>(in, i + 1);
#include <cstdio>

__global__ void add_next(cudaTextureObject_t in, int* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(in, i) + tex1Dfetch<int>(in, i + 1);
}

int main() {
  int h_in[64], h_out[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof h_in);
  cudaMalloc(&d_out, sizeof h_out);
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_in;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof h_in;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t in = 0;
  cudaCreateTextureObject(&in, &resource, &how, nullptr);
  add_next<<<1, 64>>>(in, d_out, 64);
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[62] == 125 && h_out[63] == 63 ? "PASS" : "FAIL");
  cudaDestroyTextureObject(in);
  cudaFree(d_in);
  cudaFree(d_out);
}
