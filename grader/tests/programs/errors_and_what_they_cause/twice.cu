__global__ void fill(int* d) { d[threadIdx.x] = 1; }
__global__ void use(int* d) { d[threadIdx.x + 32] = d[threadIdx.x] + 1; }
int main() {
  int* d;
  cudaMalloc(&d, 256);
  fill<<<1, 2048>>>(d);
  use<<<1, 32>>>(d);
  fill<<<0, 32>>>(d);
  cudaFree(d);
}
