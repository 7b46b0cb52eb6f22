// SPDX-License-Identifier: MIT
// mutant of: 05_divergence
// mistake: 24, divergent modulo indexing: the kernel as it was found
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

// Two threads per sample: the even one computes the value, the odd one the slope.
__global__ void divergent_kernel(const Sample* d_samples, int num_samples,
                                 const float* d_coefficients, Curve* d_curves) {
  const int t = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  const int i = t / 2;
  if (i >= num_samples) return;
  const float x = d_samples[i].x;
  float result = 0.0f;
  switch (d_samples[i].kind) {
    case 0:
      if (t % 2 == 0) {
        for (int j = kNumTerms - 1; j >= 0; --j) result = result * x + d_coefficients[j];
      } else {
        for (int j = kNumTerms - 1; j >= 1; --j) result = result * x + j * d_coefficients[j];
      }
      break;
    case 1:
      if (t % 2 == 0) {
        for (int j = kNumTerms - 1; j >= 0; --j) result = result * x + d_coefficients[8 + j];
      } else {
        for (int j = kNumTerms - 1; j >= 1; --j) result = result * x + j * d_coefficients[8 + j];
      }
      break;
    case 2:
      if (t % 2 == 0) {
        for (int j = kNumTerms - 1; j >= 0; --j) result = result * x + d_coefficients[16 + j];
      } else {
        for (int j = kNumTerms - 1; j >= 1; --j) result = result * x + j * d_coefficients[16 + j];
      }
      break;
    default:
      if (t % 2 == 0) {
        for (int j = kNumTerms - 1; j >= 0; --j) result = result * x + d_coefficients[24 + j];
      } else {
        for (int j = kNumTerms - 1; j >= 1; --j) result = result * x + j * d_coefficients[24 + j];
      }
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
