// SPDX-License-Identifier: MIT
// What wgmma can do, with its factors in shared memory.
#include "anchors.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/warpgroup_instructions.cuh"

namespace lab {
namespace {

constexpr int kWarpgroups = 2;  // a block, and a multiprocessor has one block
constexpr int kThreadsPerBlock = 128 * kWarpgroups;
constexpr int kChains = 2;                           // independent, so that no latency shows
constexpr int kBox = 64;                             // numbers in a row of 128 bytes
constexpr double kMultiplyAdds = 64.0 * 128 * kBox;  // of a warpgroup, per chain and iteration

__global__ void __launch_bounds__(kThreadsPerBlock, 1)
    wgmma_kernel([[maybe_unused]] int num_iterations, [[maybe_unused]] float* d_c) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // the file must compile for other devices
  __shared__ __align__(1024) __nv_bfloat16 a[kWarpgroups][kBox][kBox];
  __shared__ __align__(1024) __nv_bfloat16 b[2][kBox][kBox];  // 128 columns
  for (int i = threadIdx.x; i < kBox * kBox; i += kThreadsPerBlock) {
    for (auto& box : a) box[i / kBox][i % kBox] = 0;
    for (auto& box : b) box[i / kBox][i % kBox] = 0;
  }
  publish_to_copies_and_products();
  __syncthreads();  // the factors are there

  float sums[kChains][64] = {};
#pragma unroll 1
  for (int iteration = 0; iteration < num_iterations; ++iteration) {
    fence_sums();
#pragma unroll
    for (int k = 0; k < kBox; k += 16) {
      const std::uint64_t a_tile = tile_descriptor(&a[threadIdx.x / 128][0][k]);
      const std::uint64_t b_tile = tile_descriptor(b[0][k], sizeof b[0]);
#pragma unroll
      for (auto& chain : sums) start_product(chain, a_tile, b_tile);
    }
    commit_products();
    wait_for_products<0>();  // the other warpgroup goes on
  }
  float sum = 0;
  for (const auto& chain : sums) {
    for (const float element : chain) sum += element;
  }
  if (sum != 0) d_c[0] = sum;  // never true
#endif
}

}  // namespace

void wgmma_peak(const void*, const void*, int num_rows, int num_cols, int depth, float* d_c,
                Scratch&, cudaStream_t stream) {
  const int num_blocks = num_multiprocessors();
  const double num_terms = static_cast<double>(num_rows) * num_cols * depth;
  const double terms_per_iteration =
      static_cast<double>(num_blocks) * kWarpgroups * kChains * kMultiplyAdds;
  const int num_iterations = static_cast<int>(num_terms / terms_per_iteration + 0.5);
  wgmma_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(num_iterations, d_c);
  check_launch();
}

}  // namespace lab
