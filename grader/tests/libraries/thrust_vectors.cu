// SPDX-License-Identifier: MIT
// Thrust together with kernels: vectors, algorithms, functors, raw pointers, and sorts of 2^20
// items, which would take a minute if the accesses of each were checked. Ends with 0 if all is
// right.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "check.h"

__global__ void twice(int* items, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) items[i] *= 2;
}

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

// Reads device memory by a pointer of its own.
struct Gather {
  const int* table;
  __device__ int operator()(int i) const { return table[i]; }
};

__global__ void sort_in_kernel(int* items) { thrust::sort(thrust::seq, items, items + 8); }

template <class T>
void sort_many() {
  std::vector<T> host(1 << 20);
  for (T& value : host) value = static_cast<T>(std::rand() - RAND_MAX / 2);
  thrust::device_vector<T> items(host.begin(), host.end());
  thrust::sort(items.begin(), items.end());
  std::sort(host.begin(), host.end());
  std::vector<T> sorted(host.size());
  CHECK_CUDA(cudaMemcpy(sorted.data(), thrust::raw_pointer_cast(items.data()),
                        sorted.size() * sizeof(T), cudaMemcpyDeviceToHost));
  EXPECT(sorted == host);
}

int main() {
  const int count = 1000;
  thrust::host_vector<int> host(count);
  for (int& value : host) value = std::rand() % 1000;
  thrust::device_vector<int> items = host;
  thrust::sort(items.begin(), items.end());
  twice<<<4, 256>>>(thrust::raw_pointer_cast(items.data()), count);
  std::sort(host.begin(), host.end());
  EXPECT(items[count - 1] == 2 * host[count - 1]);
  EXPECT(thrust::reduce(items.begin(), items.end()) ==
         2 * std::accumulate(host.begin(), host.end(), 0));

  thrust::device_vector<float> floats(count);
  thrust::sequence(floats.begin(), floats.end());
  EXPECT(thrust::transform_reduce(floats.begin(), floats.begin() + 10, Square(), 0.f,
                                  thrust::plus<float>()) == 285);

  int* d_table;
  CHECK_CUDA(cudaMalloc(&d_table, count * sizeof(int)));
  thrust::device_ptr<int> table(d_table);
  thrust::sequence(table, table + count, 7);
  thrust::device_vector<int> gathered(count);
  thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(count),
                    gathered.begin(), Gather{d_table});
  EXPECT(gathered[5] == 12 && gathered.back() == count + 6);
  thrust::inclusive_scan(thrust::device, d_table, d_table + count, d_table);
  int third;
  CHECK_CUDA(cudaMemcpy(&third, d_table + 2, sizeof third, cudaMemcpyDeviceToHost));
  EXPECT(third == 7 + 8 + 9);
  cudaFree(d_table);

  thrust::device_vector<int> keys = host, values(count);
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
  EXPECT(keys[0] == host[count - 1] && host[values[0]] == keys[0]);
  auto first = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), values.begin()));
  EXPECT(thrust::get<0>(*first) == keys[0]);
  EXPECT(thrust::count_if(keys.begin(), keys.end(), [] __device__(int key) { return key < 500; }) ==
         std::count_if(host.begin(), host.end(), [](int key) { return key < 500; }));

  thrust::device_vector<int> few(8);
  for (int i = 0; i < 8; ++i) few[i] = (3 * i) % 8;
  sort_in_kernel<<<1, 1>>>(thrust::raw_pointer_cast(few.data()));
  thrust::host_vector<int> sorted = few;
  for (int i = 0; i < 8; ++i) EXPECT(sorted[i] == i);

  sort_many<int>();
  sort_many<float>();
  return 0;
}
