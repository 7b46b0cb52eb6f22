// SPDX-License-Identifier: MIT
// What the device's multiply-add units can do, and cuBLAS.
#include <cublas_v2.h>

#include <stdexcept>
#include <string>

#include "anchors.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 4;  // 8 warps per scheduler
constexpr int kChains = 8;                   // independent, so that no latency shows
constexpr int kUnrolled = 32;                // multiply-adds per chain and iteration
constexpr int kTermsPerIteration = kChains * kUnrolled;

// Factor and addend are arguments, so that the compiler cannot compute the chains in advance.
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    ffma_kernel(int num_iterations, float factor, float addend, float* d_c) {
  float chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 1
  for (int iteration = 0; iteration < num_iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kUnrolled; ++step) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * factor + addend;
    }
  }
  float sum = 0;
  for (const float chain : chains) sum += chain;
  if (sum == 1.2345e30F) d_c[0] = sum;  // never true: the chains tend to addend / (1 - factor)
}

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
  }
}

cublasHandle_t cublas_handle() {
  static const cublasHandle_t handle = [] {  // for the life of the process
    cublasHandle_t created = nullptr;
    check(cublasCreate(&created));
    // The default mode computes float32 in float32; TF32 would need another mode.
    check(cublasSetMathMode(created, CUBLAS_DEFAULT_MATH));
    return created;
  }();
  return handle;
}

}  // namespace

void ffma_peak(const float*, const float*, int num_rows, int num_cols, int depth, float* d_c,
               Scratch&, cudaStream_t stream) {
  const int num_blocks = kBlocksPerMultiprocessor * num_multiprocessors();
  const double num_terms = static_cast<double>(num_rows) * num_cols * depth;
  const double terms_per_iteration =
      static_cast<double>(num_blocks) * kThreadsPerBlock * kTermsPerIteration;
  const int num_iterations = static_cast<int>(num_terms / terms_per_iteration + 0.5);
  ffma_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(num_iterations, 0.5F, 1.0F, d_c);
  check_launch();
}

void cublas_sgemm(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  float* d_c, Scratch&, cudaStream_t stream) {
  const cublasHandle_t handle = cublas_handle();
  check(cublasSetStream(handle, stream));
  const float one = 1;
  const float zero = 0;
  // cuBLAS stores by columns: it sees the transposed matrices, and C' = B' A'.
  check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, num_cols, num_rows, depth, &one, d_b,
                    num_cols, d_a, depth, &zero, d_c, num_cols));
}

void cublas_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch&, cudaStream_t stream) {
  const cublasHandle_t handle = cublas_handle();
  check(cublasSetStream(handle, stream));
  const float one = 1;
  const float zero = 0;
  check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, num_cols, num_rows, depth, &one, d_b,
                     CUDA_R_16BF, num_cols, d_a, CUDA_R_16BF, depth, &zero, d_c, CUDA_R_32F,
                     num_cols, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace lab
