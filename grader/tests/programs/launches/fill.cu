__global__ void fill(int* d_out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_out[i] = i;
}
__global__ void spin(volatile int* d_out) { while (d_out[0] == 0) {} }
int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, (1 << 20) * sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  LAUNCH;
  cudaDeviceSynchronize();
  cudaFree(d_out);
}
