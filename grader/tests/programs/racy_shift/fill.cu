__global__ void shift(int* d_out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 7 * threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 63) tile[threadIdx.x] = tile[threadIdx.x + 1];
  d_out[threadIdx.x] = tile[threadIdx.x];
}
int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, 64 * sizeof(int));
  shift<<<1, 64>>>(d_out);
  cudaDeviceSynchronize();
  cudaFree(d_out);
}
