__global__ void fill(int* d_out) {
  int sum = 0;
  for (int i = 0; i < 3000; ++i) sum += d_out[threadIdx.x] + i;
  d_out[64 + threadIdx.x] = sum;
}
__global__ void first() {}
int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, 128 * sizeof(int));
  cudaMemset(d_out, 0, 128 * sizeof(int));
  first<<<1, 1>>>();
  fill<<<1 << 26, 64>>>(d_out);
  cudaDeviceSynchronize();
  cudaFree(d_out);
}
