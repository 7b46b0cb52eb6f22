// SPDX-License-Identifier: MIT
// out_of_bounds: the functor reads the next item, which the last one does not have.
// at: __host__ __device__ int operator()(int i) const { return items[i + 1] - items[i]; }
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdio>

struct Difference {
  const int* items;
  __host__ __device__ int operator()(int i) const { return items[i + 1] - items[i]; }
};

int main() {
  const int n = 100;
  thrust::device_vector<int> items(n), out(n);
  for (int i = 0; i < n; ++i) items[i] = i * i;
  const int* const raw = thrust::raw_pointer_cast(items.data());
  const thrust::counting_iterator<int> first(0);
  thrust::transform(first, first + n, out.begin(), Difference{raw});
  std::puts(out[3] == 7 ? "PASS" : "FAIL");
}
