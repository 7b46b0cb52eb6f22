__global__ void child(int* out) { *out = 1; }
__global__ void parent(int* out) {
  child<<<1, 2048>>>(out);
}
int main() {
  int* d;
  cudaMalloc(&d, 4);
  parent<<<1, 1>>>(d);
  cudaFree(d);
}
