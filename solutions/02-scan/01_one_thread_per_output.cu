// SPDX-License-Identifier: MIT
// One thread per output: each adds all items before its own.
// Cost: num_items * (num_items - 1) / 2 additions, in num_items - 1 steps: as slow as one thread,
// for half of all threads. Right for every length, and hopeless beyond some ten thousand items.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void one_thread_per_output_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item >= num_items) return;
  unsigned sum = 0;
  for (int earlier = 0; earlier < item; ++earlier) sum += d_in[earlier];
  d_out[item] = sum;
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  one_thread_per_output_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
