// SPDX-License-Identifier: MIT
// Wrong: a kernel's second sum uses the storage of its first without a barrier between them. A sum
// on the device reads past the end of an array, and another one reads memory of the host.

#include <cub/cub.cuh>
__global__ void sum_twice(int* out) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage temp;
  const int a = Reduce(temp).Sum(1);
  const int b = Reduce(temp).Sum(2);
  if (threadIdx.x == 0) *out = a + b;
}
int main() {
  int *in, *out, host[64] = {};
  void* room;
  size_t bytes = 0;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 4);
  cudaMemset(in, 0, 256);
  sum_twice<<<1, 64>>>(out);
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, 64);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, in, out, 65);
  cub::DeviceReduce::Sum(room, bytes, host, out, 64);
}
