// SPDX-License-Identifier: MIT
// host_pointer: an object that the host made has the host's table of virtual functions.
// at: out[threadIdx.x] = shape->area();
#include <cstdio>

struct Shape {
  __host__ __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
  int side = 3;
  __host__ __device__ int area() const override { return side * side; }
};

__global__ void areas(const Shape* shape, int* out) { out[threadIdx.x] = shape->area(); }

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  cudaMemset(d_out, 0, 32 * sizeof(int));
  const Square square;
  Square* d_square;
  cudaMalloc(&d_square, sizeof(Square));
  cudaMemcpy(static_cast<void*>(d_square), &square, sizeof square, cudaMemcpyHostToDevice);
  areas<<<1, 32>>>(d_square, d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 9 ? "PASS" : "FAIL");
  cudaFree(d_square);
  cudaFree(d_out);
}
