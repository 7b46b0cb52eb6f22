// SPDX-License-Identifier: MIT
// A tree in shared memory: sums on the way up, prefixes on the way down, all in place.
// New: 2 * (N - 1) additions instead of N log2 N; twice as many steps. Limit: one block; and banks,
// where 2 lanes meet in the first step and all 32 in the fifth. (G. E. Blelloch, "Prefix Sums and
// Their Applications", CMU-CS-90-190, 1990.)
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kItemsPerBlock = kMaxItemsInOneBlock;  // a power of two: the tree is complete
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

// Two items per thread; past the end stands the identity, so any length is a complete tree.
__device__ void load_tile(const unsigned* d_in, int num_items, unsigned* tile) {
  for (int i = threadIdx.x; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[i] = i < num_items ? d_in[i] : 0;
  }
}

__device__ void store_tile(const unsigned* tile, int num_items, unsigned* d_out) {
  __syncthreads();  // the words were written by other threads
  for (int i = threadIdx.x; i < num_items; i += kThreadsPerBlock) d_out[i] = tile[i];
}

// Afterwards tile[i] holds the sum of the items under the node that ends at i. The root's, the last
// word's, was written by thread 0.
__device__ void up_sweep_tile(unsigned* tile) {
  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (threadIdx.x + 1) * 2 * stride - 1;  // the node's own word, too
    if (right < kItemsPerBlock) tile[right] += tile[right - stride];
  }
}

// A node's word holds the sum of all items before the node. It is the left child's as it is, and
// the right child's after the left child's sum was added.
__device__ void down_sweep_tile(unsigned* tile) {
  if (threadIdx.x == 0) tile[kItemsPerBlock - 1] = 0;  // nothing stands before the root
  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the node's word was written by another thread, in the step before
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
