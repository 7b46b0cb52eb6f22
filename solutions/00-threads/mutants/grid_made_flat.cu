// SPDX-License-Identifier: MIT
// mutant of: 03_thread_ids
// mistake: as many blocks and threads, but all in one dimension
// expect: failed wrong_result
// message: the contract prescribes a grid of
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

__global__ void thread_ids_kernel(dim3 grid, dim3 block, ThreadIds* d_ids) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  ThreadIds ids;
  ids.column = b % grid.x * block.x + t % block.x;
  ids.row = b / grid.x % grid.y * block.y + t / block.x % block.y;
  ids.layer = b / (grid.x * grid.y) * block.z + t / (block.x * block.y);
  ids.in_block = t;
  ids.block = b;

  const int global_id = b * blockDim.x + t;
  d_ids[global_id] = ids;
}

}  // namespace

void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream) {
  const int num_blocks = grid.x * grid.y * grid.z;
  const int threads_per_block = block.x * block.y * block.z;
  thread_ids_kernel<<<num_blocks, threads_per_block, 0, stream>>>(grid, block, d_ids);
  check_launch();
}

}  // namespace lab
