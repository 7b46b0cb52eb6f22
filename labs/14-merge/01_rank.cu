// SPDX-License-Identifier: MIT
// One thread per item. The item's place is its own index plus the number of items of the other
// array that precede it, and a binary search finds that number.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// How many of the sorted items (num_items) precede `item`, which equal ones do not.
template <class Less>
__device__ int count_less(const Fraction* items, int num_items, Fraction item, Less comes_before) {
  // TODO 1. The answer is in [0, num_items]. Which question to the middle item halves this range?
  return 0;
}

// How many of the sorted items (num_items) precede `item` or equal it.
template <class Less>
__device__ int count_not_greater(const Fraction* items, int num_items, Fraction item,
                                 Less comes_before) {
  // TODO 2. comes_before(x, y) is false for equal items. How do you ask whether x precedes y or
  // equals it, with one call?
  return 0;
}

// d_a (num_a), d_b (num_b), d_out (num_a + num_b)
template <class Less>
__global__ void rank_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b,
                            Fraction* d_out, Less comes_before) {
  // TODO 3. Which item is this thread's, one of d_a or one of d_b? Which threads have none?
  // TODO 4. An item of d_a and one of d_b are equal. Which of them is first in d_out? So which of
  // the two counts does an item of d_a need, and which one of d_b?
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_rank: write the searches and the kernel, then delete this line");

  const int num_items = num_a + num_b;
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  rank_kernel<<<ceil_div(num_items, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_a, num_a, d_b, num_b, d_out, ByValue());
  check_launch();
}

}  // namespace lab
