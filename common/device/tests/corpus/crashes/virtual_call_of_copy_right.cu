// SPDX-License-Identifier: MIT
// right: a kernel makes objects with virtual functions, and the host copies them on the device.
#include <cstdio>
#include <new>

struct Shape {
  __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};

__global__ void make(Square* squares) { new (&squares[threadIdx.x]) Square(threadIdx.x); }

__global__ void areas(const Square* squares, int* out) {
  const Shape* shape = &squares[threadIdx.x];
  out[threadIdx.x] = shape->area();
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  Square *d_squares, *d_copies;
  cudaMalloc(&d_squares, 32 * sizeof(Square));
  cudaMalloc(&d_copies, 32 * sizeof(Square));
  make<<<1, 32>>>(d_squares);
  cudaMemcpy(static_cast<void*>(d_copies), d_squares, 32 * sizeof(Square),
             cudaMemcpyDeviceToDevice);
  areas<<<1, 32>>>(d_copies, d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 961 ? "PASS" : "FAIL");
  cudaFree(d_copies);
  cudaFree(d_squares);
  cudaFree(d_out);
}
