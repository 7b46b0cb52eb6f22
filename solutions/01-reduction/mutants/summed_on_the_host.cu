// SPDX-License-Identifier: MIT
// mutant of: 04_grid_stride
// mistake: the host adds the items, and the kernel only touches them
// expect: failed forbidden
// also: slow
// needs: budget
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void touch_kernel(const float* d_in, int num_items, float* d_out) {
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  float sum = 0.0f;
  for (std::int64_t item = blockIdx.x * blockDim.x + threadIdx.x; item < num_items;
       item += num_threads) {
    sum += d_in[item];
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) d_out[0] = sum;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  const int most_blocks = num_multiprocessors() * 8;
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, most_blocks);
  touch_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
  if (num_items == 0) return;

  std::vector<float> h_in(num_items);
  check(cudaMemcpyAsync(h_in.data(), d_in, num_items * sizeof(float), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  double sum = 0;
  for (const float item : h_in) sum += item;
  const float result = static_cast<float>(sum);
  check(cudaMemcpyAsync(d_out, &result, sizeof(float), cudaMemcpyHostToDevice, stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace lab
