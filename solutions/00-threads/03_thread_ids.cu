// SPDX-License-Identifier: MIT
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

__global__ void thread_ids_kernel(ThreadIds* d_ids) {
  ThreadIds ids;
  ids.column = blockIdx.x * blockDim.x + threadIdx.x;
  ids.row = blockIdx.y * blockDim.y + threadIdx.y;
  ids.layer = blockIdx.z * blockDim.z + threadIdx.z;
  ids.in_block = linear_id(threadIdx, blockDim);
  ids.block = linear_id(blockIdx, gridDim);

  const int threads_per_block = blockDim.x * blockDim.y * blockDim.z;
  const int global_id = ids.block * threads_per_block + ids.in_block;
  d_ids[global_id] = ids;
}

}  // namespace

void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream) {
  thread_ids_kernel<<<grid, block, 0, stream>>>(d_ids);
  check_launch();
}

}  // namespace lab
