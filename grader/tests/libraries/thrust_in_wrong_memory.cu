// SPDX-License-Identifier: MIT
// Wrong: a kernel and a sum go past the end of a vector, the next sum reads memory of the host on
// the device, and at last the host reads memory of the device.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
__global__ void fill(int* items) { items[threadIdx.x] = 1; }
int main() {
  int host[100] = {};
  thrust::device_vector<int> items(100, host[0]);
  fill<<<1, 101>>>(thrust::raw_pointer_cast(items.data()));
  int sum = thrust::reduce(items.begin(), items.end() + 1);
  try {
    sum += thrust::reduce(thrust::device, host, host + 100);
  } catch (const std::exception&) {
  }
  return sum + *thrust::raw_pointer_cast(items.data());
}
