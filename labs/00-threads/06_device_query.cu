// SPDX-License-Identifier: MIT
// A launch that fills the device, whichever device it is: ask it how much it holds.
// The kernel is given: a grid-stride loop, which is right for any number of blocks.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

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
  todo("06_device_query: compute the number of blocks, then delete this line");

  // TODO 1. How many multiprocessors has device 0? Ask with cudaDeviceGetAttribute, or look into
  //         what cudaGetDeviceProperties fills in. Why is a number in the program not enough?
  // TODO 2. How many threads does a multiprocessor hold at the same time? That is not the largest
  //         block: a multiprocessor holds several blocks.
  // TODO 3. So how many blocks of 256 threads does the whole device hold? A part of a block
  //         does not run.
  // TODO 4. With 1000 items, how many blocks would have nothing to do? And with no items?
  const int num_blocks = 1;
  fill_device_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, factor, d_out,
                                                                  d_num_blocks);
  check_launch();
}

}  // namespace lab
