// SPDX-License-Identifier: MIT
// Divergence: counted by trying all threads, and removed from a kernel by two means.
// New: the kind chooses the data that all lanes work on, where it chose the code; and a thread
// makes both numbers of a curve, where the thread's parity chose one of two loops.
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

// One thread per sample. All lanes of a warp run the same loop, whatever kinds they have.
__global__ void uniform_kernel(const Sample* d_samples, int num_samples,
                               const float* d_coefficients, Curve* d_curves) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_samples) return;
  const Sample sample = d_samples[i];
  const float* d_terms = d_coefficients + sample.kind * kNumTerms;  // (kNumTerms)

  // Horner's rule: value becomes value * x + term, so its derivative becomes slope * x + value.
  Curve curve = {0.0f, 0.0f};
  for (int term = kNumTerms - 1; term >= 0; --term) {
    curve.slope = curve.slope * sample.x + curve.value;
    curve.value = curve.value * sample.x + d_terms[term];
  }
  d_curves[i] = curve;  // 8 bytes per lane, in one store
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
  uniform_kernel<<<ceil_div(num_samples, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_samples, num_samples, d_coefficients, d_curves);
  check_launch();
}

}  // namespace lab
