// SPDX-License-Identifier: MIT
// Wrong: one sum reads past the end of device memory, the next reads memory of the host.

#include <cub/cub.cuh>
int main() {
  int *in, *out, host[64] = {};
  void* room;
  size_t bytes = 0;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 4);
  cudaMemset(in, 0, 256);
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, 64);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, in, out, 65);
  cub::DeviceReduce::Sum(room, bytes, host, out, 64);
}
