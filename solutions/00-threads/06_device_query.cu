// SPDX-License-Identifier: MIT
// A launch that fills the device, whichever device it is: ask it how much it holds.
// New: the number of blocks comes from the device, and no longer from the number of items alone.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

int attribute_of_device(cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

__global__ void fill_device_kernel(const float* d_in, int num_items, float factor, float* d_out,
                                   int* d_num_blocks) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread == 0) d_num_blocks[0] = gridDim.x;
  for (int item = thread; item < num_items; item += gridDim.x * blockDim.x) {
    d_out[item] = factor * d_in[item];
  }
}

}  // namespace

void fill_device(const float* d_in, int num_items, float factor, float* d_out, int* d_num_blocks,
                 cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_multiprocessors = attribute_of_device(cudaDevAttrMultiProcessorCount);
  const int threads_of_each = attribute_of_device(cudaDevAttrMaxThreadsPerMultiProcessor);
  const int num_resident = num_multiprocessors * (threads_of_each / kThreadsPerBlock);
  const int num_blocks = std::min(num_resident, ceil_div(num_items, kThreadsPerBlock));
  fill_device_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, factor, d_out,
                                                                  d_num_blocks);
  check_launch();
}

}  // namespace lab
