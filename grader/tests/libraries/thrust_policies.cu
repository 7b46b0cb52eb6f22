// SPDX-License-Identifier: MIT
// Each policy with memory that its side can use, and values that are pointers of the host. Ends
// with 0 if all is right.
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>

#include <vector>

__device__ int table[64];

struct Twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  thrust::sequence(thrust::device, d_items, d_items + 64);
  const thrust::device_ptr<int> wrapped(d_items);
  bool is_right = thrust::reduce(wrapped, wrapped + 64) == 2016;
  const auto twice = thrust::make_transform_iterator(d_items, Twice());
  is_right &= thrust::reduce(thrust::device, twice, twice + 64) == 4032;
  const auto from_end = thrust::make_reverse_iterator(d_items + 64);
  int* d_reversed;
  cudaMalloc(&d_reversed, 64 * sizeof(int));
  thrust::copy(thrust::device, from_end, from_end + 64, d_reversed);
  thrust::sort(thrust::device, from_end, from_end + 64);
  is_right &= thrust::reduce(thrust::device, d_reversed, d_reversed + 2) == 125;

  int* managed;
  cudaMallocManaged(&managed, 64 * sizeof(int));
  thrust::sequence(managed, managed + 64);
  thrust::sort(thrust::device, managed, managed + 64, thrust::greater<int>());
  is_right &= thrust::reduce(thrust::host, managed, managed + 2) == 125;

  std::vector<int> host(64, 3);
  thrust::host_vector<int> other(64, 4);
  thrust::transform(host.begin(), host.end(), other.begin(), host.begin(), thrust::plus<int>());
  thrust::sort(thrust::host, host.begin(), host.end());

  void* symbol;
  cudaGetSymbolAddress(&symbol, table);
  thrust::fill(thrust::device, static_cast<int*>(symbol), static_cast<int*>(symbol) + 64, 1);
  thrust::device_vector<int*> pointers(8);
  thrust::fill(thrust::device, pointers.begin(), pointers.end(), host.data());
  is_right &= pointers[7] == host.data();
  thrust::sort(thrust::device, host.data(), host.data());  // no items

  thrust::device_vector<int> a = other, b(64);
  const auto first = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), d_items));
  is_right &= thrust::get<0>(*first) == 4;
  thrust::transform(thrust::cuda::par, a.begin(), a.end(), d_items, b.begin(), thrust::plus<int>());
  is_right &= b[0] == 67;
  cudaFree(managed);
  cudaFree(d_items);
  cudaFree(d_reversed);
  return is_right ? 0 : 1;
}
