// SPDX-License-Identifier: MIT
// Each thread writes a run of the result. It searches for the two places where its run begins, and
// merges from there one item after another.
// New: one search per run, not per item. Limit: neighbouring threads read and write far apart.
// Source: Green, McColl, Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;
constexpr int kItemsPerThread = 8;

// How many of the first `diagonal` items of the result are from a (num_a); the rest is from
// b (num_b). a[i] is among them unless more than `diagonal - 1 - i` items of b precede it.
template <class Less>
__device__ int items_from_a(const Fraction* a, int num_a, const Fraction* b, int num_b,
                            int diagonal, Less comes_before) {
  int low = max(0, diagonal - num_b);
  int high = min(diagonal, num_a);  // the answer is in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    if (comes_before(b[diagonal - 1 - middle], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// d_a (num_a), d_b (num_b), d_out (num_a + num_b)
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    diagonal_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
                    Less comes_before) {
  const int num_items = num_a + num_b;
  const int begin = (blockIdx.x * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (begin >= num_items) return;
  int i = items_from_a(d_a, num_a, d_b, num_b, begin, comes_before);
  int j = begin - i;
  const int end = min(begin + kItemsPerThread, num_items);
  for (int k = begin; k < end; ++k) {
    const bool takes_b = i == num_a || (j < num_b && comes_before(d_b[j], d_a[i]));
    d_out[k] = takes_b ? d_b[j++] : d_a[i++];
  }
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  const int num_items = num_a + num_b;
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock * kItemsPerThread);
  diagonal_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_a, num_a, d_b, num_b, d_out,
                                                               ByValue());
  check_launch();
}

}  // namespace lab
