#include <cstdio>
#include <vector>
__global__ void scale(float* items, int num_items) {
  const int item = threadIdx.x;
  if (item < num_items) items[item] *= 2;
}
int main(int argc, char**) {
  std::vector<float> a(40, 1), b(40, 3), c(40, 7);
  cudaHostRegister(a.data(), 160, cudaHostRegisterMapped);
  cudaHostRegister(b.data(), 160, cudaHostRegisterMapped);
  float* d;
  cudaHostGetDevicePointer(&d, b.data(), 0);
  scale<<<1, 64>>>(a.data(), 40);
  scale<<<1, 64>>>(d, 39 + argc);
  cudaDeviceSynchronize();
  std::printf("%g %g %g\n", a[39], b[39], c[0]);
  cudaHostUnregister(a.data());
  cudaHostUnregister(b.data());
}
