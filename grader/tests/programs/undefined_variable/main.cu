extern __device__ int missing;
__global__ void k(int* out) { *out = missing; }
int main() {
  int* d;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  cudaFree(d);
}
