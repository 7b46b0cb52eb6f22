// SPDX-License-Identifier: MIT
// right: an object with virtual functions that a kernel made, and assertions that hold.
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};

__global__ void areas(int* out) {
  const Shape* shape = new Square(threadIdx.x);
  assert(shape->area() >= 0);
  out[threadIdx.x] = shape->area();
  delete shape;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  areas<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 961 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
