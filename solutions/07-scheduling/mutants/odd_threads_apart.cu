// SPDX-License-Identifier: MIT
// mutant of: 05_divergence
// mistake: 24, even and odd threads still go different ways
// expect: failed budget
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

bool is_active(int thread, int stride, Tree tree) {
  return tree == Tree::kInterleaved ? thread % stride == 0 : thread < stride;
}

// Warps of the block that hold both active and idle threads.
int count_divergent(int num_threads, int stride, Tree tree) {
  int count = 0;
  for (int first = 0; first < num_threads; first += kWarpSize) {
    const int last = first + kWarpSize < num_threads ? first + kWarpSize : num_threads;
    int num_active = 0;
    for (int thread = first; thread < last; ++thread) {
      if (is_active(thread, stride, tree)) ++num_active;
    }
    if (num_active > 0 && num_active < last - first) ++count;
  }
  return count;
}

// Two threads a sample: the even one makes the value, the odd one the slope.
__global__ void divergent_kernel(const Sample* d_samples, int num_samples,
                                 const float* d_coefficients, Curve* d_curves) {
  const int t = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  const int i = t / 2;
  if (i >= num_samples) return;
  const Sample sample = d_samples[i];
  const float* d_terms = d_coefficients + sample.kind * kNumTerms;
  float result = 0.0f;
  if (t % 2 == 0) {
    for (int j = kNumTerms - 1; j >= 0; --j) result = result * sample.x + d_terms[j];
  } else {
    for (int j = kNumTerms - 1; j >= 1; --j) result = result * sample.x + j * d_terms[j];
  }
  if (t % 2 == 0) {
    d_curves[i].value = result;
  } else {
    d_curves[i].slope = result;
  }
}

}  // namespace

void divergent_warps(int num_threads, Tree tree, int* h_warps) {
  int longest = 1;
  while (2 * longest <= num_threads) longest *= 2;
  for (int stride = 1; stride <= longest; stride *= 2) {
    *h_warps++ =
        count_divergent(num_threads, tree == Tree::kInterleaved ? stride : longest / stride, tree);
  }
}

void evaluate_curves(const Sample* d_samples, int num_samples, const float* d_coefficients,
                     Curve* d_curves, cudaStream_t stream) {
  if (num_samples == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(2 * num_samples, kThreadsPerBlock);
  divergent_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples,
                                                                d_coefficients, d_curves);
  check_launch();
}

}  // namespace lab
