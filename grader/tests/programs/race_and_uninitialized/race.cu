__global__ void k(int* a) {
  a[0] = threadIdx.x;
  a[0] = -static_cast<int>(threadIdx.x);
  a[1] = a[2] + 1;
}
int main() { int* a; cudaMalloc(&a, 12); k<<<1, 64>>>(a); cudaFree(a); }
