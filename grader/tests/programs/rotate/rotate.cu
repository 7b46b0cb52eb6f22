#include <cstdio>
__device__ int twice(int x) {
  return 2 * x;
}
__global__ void rotate(const int* d_in, int* d_out) {
  __shared__ int tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = twice(d_in[i]);
  __syncthreads();
  int next = tile[(threadIdx.x + 1) % 64];
  next += 1;
  d_out[i] = next;
}
int main() {
  int h[100];
  for (int i = 0; i < 100; ++i) h[i] = i;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof h);
  cudaMalloc(&d_out, sizeof h);
  cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
  rotate<<<BLOCKS, 64>>>(d_in, d_out);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
  std::printf("the end\n");
  return 0;
}
