// SPDX-License-Identifier: MIT
// mutant of: 01_one_thread_per_output
// mistake: trivial: off by one output: everything stands one place to the right
// expect: failed wrong_result
// message: one place too far
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
  for (int earlier = 0; earlier < item - 1; ++earlier) sum += d_in[earlier];
  d_out[item] = sum;
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  one_thread_per_output_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
