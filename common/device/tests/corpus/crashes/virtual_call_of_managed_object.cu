// SPDX-License-Identifier: MIT
// host_pointer: the host makes an object in managed memory, and a kernel calls its function.
// at: out[threadIdx.x] = shape->area();
#include <cstdio>
#include <new>

struct Shape {
  __host__ __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
  int side = 3;
  __host__ __device__ int area() const override { return side * side; }
};

__global__ void areas(const Shape* shape, int* out) { out[threadIdx.x] = shape->area(); }

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  void* memory;
  cudaMallocManaged(&memory, sizeof(Square));
  areas<<<1, 32>>>(new (memory) Square, out);
  const bool is_right = cudaDeviceSynchronize() == cudaSuccess && out[31] == 9;
  std::puts(is_right ? "PASS" : "FAIL");
  cudaFree(memory);
  cudaFree(out);
}
