__global__ void fill(int* d) { d[threadIdx.x] = 1; }
int main() {
  int* d;
  cudaMalloc(&d, 256);
  fill<<<1, 2048>>>(d);
  return d[0];
}
