// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomic
// mistake: 19, a host pointer dereferenced on the device
// expect: failed host_pointer
// also: launch_error, crash, wrong_result
// line: 18
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void global_atomic_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  float sum = 0.0f;
  if (num_items > 0) {
    const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
    global_atomic_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, &sum);
    check_launch();
    check(cudaStreamSynchronize(stream));
  }
  check(cudaMemcpyAsync(d_out, &sum, sizeof(float), cudaMemcpyHostToDevice, stream));
}

}  // namespace lab
