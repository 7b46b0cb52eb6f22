// SPDX-License-Identifier: MIT
// Wrong: the second sum uses the storage of the first without a barrier between them.

#include <cub/cub.cuh>
__global__ void k(int* out) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage temp;
  const int a = Reduce(temp).Sum(1);
  const int b = Reduce(temp).Sum(2);
  if (threadIdx.x == 0) *out = a + b;
}
int main() {
  int* d;
  cudaMalloc(&d, 4);
  k<<<1, 64>>>(d);
  cudaFree(d);
}
