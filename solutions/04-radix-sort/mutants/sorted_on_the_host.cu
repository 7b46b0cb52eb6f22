// SPDX-License-Identifier: MIT
// mutant of: 05_onesweep
// mistake: the host sorts the keys in managed memory, and kernels only carry them there and back
// expect: failed forbidden
// also: slow
// message: the data must stay on the device
// needs: budget
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void carry_kernel(const std::uint32_t* d_from, int num_items, std::uint32_t* d_to) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item < num_items) d_to[item] = d_from[item];
}

void carry(const std::uint32_t* d_from, int num_items, std::uint32_t* d_to, cudaStream_t stream) {
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  carry_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_from, num_items, d_to);
  check_launch();
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_items == 0) return;
  std::uint32_t* keys = nullptr;
  check(cudaMallocManaged(&keys, num_items * sizeof(std::uint32_t)));
  carry(d_in, num_items, keys, stream);
  check(cudaStreamSynchronize(stream));
  std::sort(keys, keys + num_items);
  carry(keys, num_items, d_out, stream);
  check(cudaStreamSynchronize(stream));
  check(cudaFree(keys));
}

}  // namespace lab
