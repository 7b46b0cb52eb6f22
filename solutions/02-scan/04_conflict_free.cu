// SPDX-License-Identifier: MIT
// Blelloch's tree with a hole after every 32 words: item i lives in word i + i / 32.
// New: nodes that are 32 words apart, and so in the same bank, move to different banks: no bank
// conflict in any of the 20 steps. Cost: 31 unused words and an addition an index. Limit: one
// block.
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kNumBanks = 32;
constexpr int kItemsPerBlock = kMaxItemsInOneBlock;
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

// Where item i of the tile lives in shared memory.
__host__ __device__ constexpr int padded(int i) { return i + i / kNumBanks; }

constexpr int kWordsPerTile = padded(kItemsPerBlock - 1) + 1;

__global__ void conflict_free_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kWordsPerTile];
  const int t = threadIdx.x;

  for (int i = t; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[padded(i)] = i < num_items ? d_in[i] : 0;
  }

  // Up: a node's word becomes the sum of its two children.
  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) tile[padded(kItemsPerBlock - 1)] = 0;  // written last by this very thread

  // Down: a node's word holds the sum of all items before it, and its children get theirs.
  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the node's word was written by another thread, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[padded(right - stride)];
    tile[padded(right - stride)] = tile[padded(right)];
    tile[padded(right)] += left_sum;
  }

  __syncthreads();  // the words were written by other threads
  for (int i = t; i < num_items; i += kThreadsPerBlock) d_out[i] = tile[padded(i)];
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  conflict_free_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                           as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
