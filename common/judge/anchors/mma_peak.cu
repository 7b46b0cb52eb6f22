// SPDX-License-Identifier: MIT
// What mma.sync can do, with its operands in registers.
#include "anchors.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 2;  // 4 warps per scheduler
constexpr int kChains = 8;                   // independent, so that no latency shows
constexpr int kUnrolled = 8;                 // products per chain and iteration

// Older devices lack the instructions; the file must compile for them.
struct Bf16 {
  static constexpr double kMultiplyAdds = 16 * 8 * 16;
  __device__ static void multiply([[maybe_unused]] float (&d)[4],
                                  [[maybe_unused]] const std::uint32_t (&a)[4],
                                  [[maybe_unused]] const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    multiply_bf16(d, a, b);
#endif
  }
};
struct E4m3 {
  static constexpr double kMultiplyAdds = 16 * 8 * 32;
  __device__ static void multiply([[maybe_unused]] float (&d)[4],
                                  [[maybe_unused]] const std::uint32_t (&a)[4],
                                  [[maybe_unused]] const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    multiply_e4m3(d, a, b);
#endif
  }
};

// The operands depend on an argument, so that the compiler cannot compute the sums in advance.
template <class Format>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    mma_kernel(int num_iterations, std::uint32_t word, float* d_c) {
  const std::uint32_t a[4] = {word, word + threadIdx.x, word, word};
  const std::uint32_t b[2] = {word, word};
  float sums[kChains][4] = {};
#pragma unroll 1
  for (int iteration = 0; iteration < num_iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kUnrolled; ++step) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) Format::multiply(sums[i], a, b);
    }
  }
  float sum = 0;
  for (const auto& chain : sums) sum += chain[0] + chain[1] + chain[2] + chain[3];
  if (sum == 1.2345e30F) d_c[0] = sum;  // never true: the words are tiny numbers
}

template <class Format>
void start(int num_rows, int num_cols, int depth, float* d_c, cudaStream_t stream) {
  const int num_blocks = kBlocksPerMultiprocessor * num_multiprocessors();
  const double num_terms = static_cast<double>(num_rows) * num_cols * depth;
  const double terms_per_iteration = static_cast<double>(num_blocks) * (kThreadsPerBlock / 32) *
                                     kChains * kUnrolled * Format::kMultiplyAdds;
  const int num_iterations = static_cast<int>(num_terms / terms_per_iteration + 0.5);
  mma_kernel<Format><<<num_blocks, kThreadsPerBlock, 0, stream>>>(num_iterations, 0, d_c);
  check_launch();
}

}  // namespace

void mma_peak(const void*, const void*, int num_rows, int num_cols, int depth, float* d_c, Scratch&,
              cudaStream_t stream) {
  start<Bf16>(num_rows, num_cols, depth, d_c, stream);
}

void mma_peak_e4m3(const __nv_fp8_e4m3*, const float*, const __nv_fp8_e4m3*, const float*,
                   int num_rows, int num_cols, int depth, float* d_c, Scratch&,
                   cudaStream_t stream) {
  start<E4m3>(num_rows, num_cols, depth, d_c, stream);
}

}  // namespace lab
