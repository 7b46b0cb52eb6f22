// SPDX-License-Identifier: MIT
// One thread per item. The item's place is its own index plus the number of items of the other
// array that precede it, and a binary search finds that number.
// Limit: every item is a search in global memory, of one load after another.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// How many of the sorted items (num_items) precede `item`, which equal ones do not.
template <class Less>
__device__ int count_less(const Fraction* items, int num_items, Fraction item, Less comes_before) {
  int low = 0;
  int high = num_items;  // the answer is in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    if (comes_before(items[middle], item)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// How many of the sorted items (num_items) precede `item` or equal it.
template <class Less>
__device__ int count_not_greater(const Fraction* items, int num_items, Fraction item,
                                 Less comes_before) {
  int low = 0;
  int high = num_items;  // the answer is in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    if (comes_before(item, items[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// d_a (num_a), d_b (num_b), d_out (num_a + num_b)
template <class Less>
__global__ void rank_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b,
                            Fraction* d_out, Less comes_before) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i < num_a) {
    const Fraction item = d_a[i];
    d_out[i + count_less(d_b, num_b, item, comes_before)] = item;  // equal items of d_b follow
  } else if (i < num_a + num_b) {
    const int j = i - num_a;
    const Fraction item = d_b[j];
    d_out[j + count_not_greater(d_a, num_a, item, comes_before)] = item;
  }
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  const int num_items = num_a + num_b;
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  rank_kernel<<<ceil_div(num_items, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_a, num_a, d_b, num_b, d_out, ByValue());
  check_launch();
}

}  // namespace lab
