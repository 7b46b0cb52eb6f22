// SPDX-License-Identifier: MIT
// mutant of: 03_blelloch
// mistake: one thread scans the tile, and makes the sums of up_sweep, alone
// expect: failed budget
// also: slow
// message: share the work
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

__global__ void serial_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[1024];
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) tile[i] = d_in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int i = 0; i < num_items; ++i) {
      const unsigned own = tile[i];
      tile[i] = sum;
      sum += own;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) d_out[i] = tile[i];
}

__global__ void serial_up_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[1024];
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) tile[i] = d_in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int stride = 1; stride < 1024; stride *= 2) {
      for (int right = 2 * stride - 1; right < num_items; right += 2 * stride)
        tile[right] += tile[right - stride];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) d_out[i] = tile[i];
}
}  // namespace

void up_sweep(const int* d_in, int num_items, int* d_out, Scratch&, cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  serial_up_kernel<<<1, 512, 0, stream>>>(as_unsigned(d_in), num_items, as_unsigned(d_out));
  check_launch();
}

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch&, cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  serial_kernel<<<1, 512, 0, stream>>>(as_unsigned(d_in), num_items, as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
