// SPDX-License-Identifier: MIT
// Each thread writes a run of the result. It searches for the two places where its run begins, and
// merges from there one item after another.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;
constexpr int kItemsPerThread = 8;

// How many of the first `diagonal` items of the result are from a (num_a); the rest is from
// b (num_b).
template <class Less>
__device__ int items_from_a(const Fraction* a, int num_a, const Fraction* b, int num_b,
                            int diagonal, Less comes_before) {
  // TODO 1. What is the smallest possible answer, if b has few items? And the largest?
  // TODO 2. Take a guess in the middle. a[middle] and b[diagonal - 1 - middle] then compete for a
  // place among the first `diagonal` items. Which answers are left if b's item precedes a's? And
  // otherwise, when they may be equal?
  return 0;
}

// d_a (num_a), d_b (num_b), d_out (num_a + num_b)
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    diagonal_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
                    Less comes_before) {
  const int num_items = num_a + num_b;
  const int begin = (blockIdx.x * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (begin >= num_items) return;
  // TODO 3. Where does the run begin in d_a, and where in d_b?
  // TODO 4. Merge up to kItemsPerThread items. When do you take the next item of d_b? What if one
  // of the arrays is used up?
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_diagonal: write the search and the kernel, then delete this line");

  const int num_items = num_a + num_b;
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock * kItemsPerThread);
  diagonal_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_a, num_a, d_b, num_b, d_out,
                                                               ByValue());
  check_launch();
}

}  // namespace lab
