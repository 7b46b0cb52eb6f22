// SPDX-License-Identifier: MIT
// mutant of: 03_thread_ids
// mistake: the host counts, and the kernel only copies
// expect: failed forbidden
// message: the data must stay on the device
// needs: budget
// Numbers for threads and blocks of one, two and three dimensions.
// One formula covers all cases: missing extents are 1, and their indices 0.
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
namespace {

// The number of position `index` in a box of `extent`, x fastest: whole rows lie before it, and
// whole layers of extent.x * extent.y.
__device__ int linear_id(uint3 index, dim3 extent) {
  return index.x + index.y * extent.x + index.z * extent.x * extent.y;
}

__global__ void thread_ids_kernel(const ThreadIds* d_all, ThreadIds* d_ids) {
  const int in_block = linear_id(threadIdx, blockDim);
  const int number = linear_id(blockIdx, gridDim);
  const int threads_per_block = blockDim.x * blockDim.y * blockDim.z;
  const int global_id = number * threads_per_block + in_block;
  d_ids[global_id] = d_all[global_id];
}

}  // namespace

void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream) {
  const unsigned num_blocks = grid.x * grid.y * grid.z;
  const unsigned num_threads = block.x * block.y * block.z;
  ThreadIds* all = nullptr;
  check(cudaMallocManaged(&all, num_blocks * num_threads * sizeof(ThreadIds)));
  ThreadIds* next = all;
  for (unsigned number = 0; number < num_blocks; ++number) {
    const uint3 of_block = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    for (unsigned t = 0; t < num_threads; ++t, ++next) {
      next->column = of_block.x * block.x + t % block.x;
      next->row = of_block.y * block.y + t / block.x % block.y;
      next->layer = of_block.z * block.z + t / block.x / block.y;
      next->in_block = t;
      next->block = number;
    }
  }
  thread_ids_kernel<<<grid, block, 0, stream>>>(all, d_ids);
  check_launch();
  check(cudaStreamSynchronize(stream));
  check(cudaFree(all));
}

}  // namespace lab
