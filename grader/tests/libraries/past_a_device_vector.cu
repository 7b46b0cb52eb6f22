// SPDX-License-Identifier: MIT
// Wrong: one thread too many for the vector.

#include <thrust/device_vector.h>
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() {
  thrust::device_vector<int> v(100);
  k<<<1, 101>>>(thrust::raw_pointer_cast(v.data()));
}
