#include <cstdio>
#include <cstdlib>
__global__ void fill(int* out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i COMPARED num_items) out[i] = i;
}
int main(int argc, char** argv) {
  int* d_out = nullptr;
  cudaMalloc(&d_out, 100 * sizeof(int));
  fill<<<1, 128>>>(d_out, 100);
  cudaDeviceSynchronize();
  cudaFree(d_out);
  std::printf("%d:%s\n", argc, argv[argc - 1]);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
