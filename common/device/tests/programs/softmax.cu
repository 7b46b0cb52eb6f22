// SPDX-License-Identifier: MIT
// Row-wise softmax and layer normalisation: block reductions with
// functors, online softmax in a warp.
#include <cfloat>
#include <cmath>
#include <vector>

#include "check.h"

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

template <class Op>
__device__ float block_reduce(float value, Op op, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + s]);
    __syncthreads();
  }
  float result = shared[0];
  __syncthreads();  // shared is used again
  return result;
}

__global__ void softmax_kernel(float* out, const float* inp, int N, int C) {
  // inp is (N, C), out is (N, C); one block per row
  extern __shared__ float shared[];
  const float* x = inp + blockIdx.x * C;
  float maxval = -INFINITY;
  for (int i = threadIdx.x; i < C; i += blockDim.x) maxval = max(maxval, x[i]);
  maxval = block_reduce(maxval, Max(), shared);
  float sumval = 0.0f;
  for (int i = threadIdx.x; i < C; i += blockDim.x) sumval += __expf(x[i] - maxval);
  sumval = block_reduce(sumval, Sum{}, shared);
  for (int i = threadIdx.x; i < C; i += blockDim.x)
    out[blockIdx.x * C + i] = expf(x[i] - maxval) / sumval;
}

__global__ void softmax_online_warp(float* out, const float* inp, int N, int C) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= N) return;
  const float* x = inp + row * C;
  float maxval = -FLT_MAX, sum = 0.f;
  for (int i = threadIdx.x; i < C; i += 32) {
    const float bigger = fmaxf(maxval, x[i]);
    sum = sum * expf(maxval - bigger) + expf(x[i] - bigger);
    maxval = bigger;
  }
  for (int offset = 16; offset; offset /= 2) {
    const float other_max = __shfl_xor_sync(0xFFFFFFFF, maxval, offset);
    const float other_sum = __shfl_xor_sync(0xFFFFFFFF, sum, offset);
    const float bigger = fmaxf(maxval, other_max);
    sum = sum * expf(maxval - bigger) + other_sum * expf(other_max - bigger);
    maxval = bigger;
  }
  for (int i = threadIdx.x; i < C; i += 32) out[row * C + i] = expf(x[i] - maxval) / sum;
}

int main() {
  const int N = 9, C = 150;
  std::vector<float> inp(N * C), out(N * C);
  for (int i = 0; i < N * C; i++) inp[i] = sinf(i * 0.37f) * 10;
  float *d_inp, *d_out;
  CHECK_CUDA(cudaMalloc(&d_inp, N * C * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_out, N * C * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_inp, inp.data(), N * C * sizeof(float), cudaMemcpyHostToDevice));
  for (int version = 1; version <= 2; ++version) {
    switch (version) {
      case 1:
        softmax_kernel<<<N, 64, 64 * sizeof(float)>>>(d_out, d_inp, N, C);
        break;
      case 2:
        softmax_online_warp<<<(N + 3) / 4, dim3(32, 4)>>>(d_out, d_inp, N, C);
        break;
    }
    CHECK_CUDA(cudaMemcpy(out.data(), d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < N; ++row) {
      double maxval = -INFINITY, sum = 0;
      for (int i = 0; i < C; ++i) maxval = std::max(maxval, (double)inp[row * C + i]);
      for (int i = 0; i < C; ++i) sum += std::exp(inp[row * C + i] - maxval);
      for (int i = 0; i < C; ++i) {
        const double expected = std::exp(inp[row * C + i] - maxval) / sum;
        EXPECT(std::fabs(out[row * C + i] - expected) <= 1e-5 * expected);
      }
    }
  }
  cudaFree(d_inp);
  cudaFree(d_out);
}
