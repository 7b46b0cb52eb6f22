// SPDX-License-Identifier: MIT
// mutant of: 03_blelloch
// mistake: 24, divergent modulo indexing: a thread owns words, not nodes
// expect: failed budget
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kItemsPerBlock = kMaxItemsInOneBlock;
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

__device__ void load_tile(const unsigned* d_in, int num_items, unsigned* tile) {
  for (int i = threadIdx.x; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[i] = i < num_items ? d_in[i] : 0;
  }
}

__device__ void store_tile(const unsigned* tile, int num_items, unsigned* d_out) {
  __syncthreads();
  for (int i = threadIdx.x; i < num_items; i += kThreadsPerBlock) d_out[i] = tile[i];
}

__device__ void up_sweep_tile(unsigned* tile) {
  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < kItemsPerBlock; i += kThreadsPerBlock) {
      if ((i + 1) % (2 * stride) == 0) tile[i] += tile[i - stride];
    }
  }
}

__device__ void down_sweep_tile(unsigned* tile) {
  if (threadIdx.x == kThreadsPerBlock - 1) tile[kItemsPerBlock - 1] = 0;
  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    const int right = (threadIdx.x + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[right - stride];
    tile[right - stride] = tile[right];
    tile[right] += left_sum;
  }
}

__global__ void up_sweep_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kItemsPerBlock];
  load_tile(d_in, num_items, tile);
  up_sweep_tile(tile);
  store_tile(tile, num_items, d_out);
}

__global__ void blelloch_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kItemsPerBlock];
  load_tile(d_in, num_items, tile);
  up_sweep_tile(tile);
  down_sweep_tile(tile);
  store_tile(tile, num_items, d_out);
}

}  // namespace

void up_sweep(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
              cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  up_sweep_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                      as_unsigned(d_out));
  check_launch();
}

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  blelloch_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                      as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
