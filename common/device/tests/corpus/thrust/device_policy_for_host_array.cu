// SPDX-License-Identifier: MIT
// host_pointer: thrust::device makes the algorithm run on the device, and the array is the host's.
// at: thrust::sort(thrust::device, items, items + 100);
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdio>

int main() {
  int items[100];
  for (int i = 0; i < 100; ++i) items[i] = 99 - i;
  thrust::sort(thrust::device, items, items + 100);
  std::puts(items[0] == 0 && items[99] == 99 ? "PASS" : "FAIL");
}
