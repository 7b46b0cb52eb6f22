#include <cstdio>
__global__ void maximum(const int* in, int* best) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > READ)
    UPDATE;
}
int main() {
  int *d_in, *d_best;
  int h_in[256];
  for (int i = 0; i < 256; ++i) h_in[i] = i;
  cudaMalloc(&d_in, sizeof h_in);
  cudaMalloc(&d_best, sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  cudaMemset(d_best, 0, sizeof(int));
  maximum<<<4, 64>>>(d_in, d_best);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_best);
  std::puts("done");
}
