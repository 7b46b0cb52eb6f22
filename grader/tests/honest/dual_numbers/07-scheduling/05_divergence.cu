// SPDX-License-Identifier: MIT
// style: dual numbers: operators carry the derivative along; Horner by recursive templates;
// coefficients in shared memory
#include <algorithm>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreads = 128;

struct Dual {
  float value;
  float slope;
  __device__ friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  __device__ friend Dual operator+(Dual a, float b) { return {a.value + b, a.slope}; }
};

__device__ Curve make_curve(float value, float slope) { return {value, slope}; }

template <int kTerm = 0>
__device__ Dual horner(const float* terms, Dual x) {
  if constexpr (kTerm == kNumTerms - 1) {
    return {terms[kTerm], 0.0f};
  } else {
    return horner<kTerm + 1>(terms, x) * x + terms[kTerm];
  }
}

__global__ void curves_kernel(const Sample* d_samples, int num_samples, const float* d_coefficients,
                              Curve* d_curves) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= num_samples) return;
  const auto [x, kind] = d_samples[i];
  const auto [value, slope] = horner(d_coefficients + kind * kNumTerms, {x, 1.0f});
  d_curves[i] = make_curve(value, slope);
}

}  // namespace

void divergent_warps(int num_threads, Tree tree, int* h_warps) {
  std::vector<int> strides;
  for (int stride = 1; stride <= num_threads; stride *= 2) strides.push_back(stride);
  if (tree == Tree::kContiguous) std::ranges::reverse(strides);
  std::ranges::transform(strides, h_warps, [=](int stride) {
    int count = 0;
    for (int first = 0; first < num_threads; first += kWarpSize) {
      const int end = std::min(first + kWarpSize, num_threads);
      int active = 0;
      for (int t = first; t < end; ++t) {
        active += tree == Tree::kInterleaved ? t % stride == 0 : t < stride;
      }
      count += active > 0 && active < end - first;
    }
    return count;
  });
}

void evaluate_curves(const Sample* d_samples, int num_samples, const float* d_coefficients,
                     Curve* d_curves, cudaStream_t stream) {
  if (num_samples == 0) return;
  curves_kernel<<<ceil_div(num_samples, kThreads), kThreads, 0, stream>>>(d_samples, num_samples,
                                                                          d_coefficients, d_curves);
  check_launch();
}

}  // namespace lab
