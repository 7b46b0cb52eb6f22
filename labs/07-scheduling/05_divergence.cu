// SPDX-License-Identifier: MIT
// Count the warps that diverge; then rewrite a kernel whose warps do little else.
// The kernel below is right but slow: most of its lanes wait for others most of the time.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Two threads per sample: the even one computes the value, the odd one the slope.
__global__ void divergent_kernel(const Sample* d_samples, int num_samples,
                                 const float* d_coefficients, Curve* d_curves) {
  const int t = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  const int i = t / 2;
  if (i >= num_samples) return;
  const float x = d_samples[i].x;
  float result = 0.0f;
  switch (d_samples[i].kind) {
    // TODO 1. A warp has samples of all kinds. How many of its lanes work at a time, and how often
    //         does it run one of these loops? Draw the path of lanes 0 to 7 for kinds 0, 1, 2, 3.
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
  // TODO 2. The kinds differ in their numbers, not in what is done with them. How can a sample's
  //         kind choose data, not code?
  // TODO 3. Which threads do different things now? How can neighbouring threads do the same?
  if (t % 2 == 0) {
    d_curves[i].value = result;
  } else {
    d_curves[i].slope = result;
  }
}

}  // namespace

void divergent_warps(int num_threads, Tree tree, int* h_warps) {
  todo("05_divergence: divergent_warps");
  // TODO 4. List the strides: 1, 2, 4, ... as long as they are at most num_threads. In which order
  //         does each tree take them?
  // TODO 5. For each step and each warp: how many of its threads are active, how many does it have?
  //         When does it diverge? Check yourself with the handout's table for 1024 threads.
}

void evaluate_curves(const Sample* d_samples, int num_samples, const float* d_coefficients,
                     Curve* d_curves, cudaStream_t stream) {
  todo("05_divergence: evaluate_curves");

  // TODO 6. As many threads as your kernel needs.
  if (num_samples == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(2 * num_samples, kThreadsPerBlock);
  divergent_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples,
                                                                d_coefficients, d_curves);
  check_launch();
}

}  // namespace lab
