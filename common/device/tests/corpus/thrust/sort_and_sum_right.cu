// SPDX-License-Identifier: MIT
// right: algorithms on vectors of the device, and a kernel that continues on the same memory.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <cstdio>

__global__ void double_each(int* items, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) items[i] *= 2;
}

int main() {
  thrust::device_vector<int> items(100);
  for (int i = 0; i < 100; ++i) items[i] = (i * 37) % 100;
  thrust::sort(items.begin(), items.end());
  double_each<<<1, 128>>>(thrust::raw_pointer_cast(items.data()), 100);
  const int sum = thrust::reduce(items.begin(), items.end());
  std::puts(sum == 9900 && items[99] == 198 ? "PASS" : "FAIL");
}
