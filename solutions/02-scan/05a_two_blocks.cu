// SPDX-License-Identifier: MIT
// Two tiles in one launch: the first block hands its sum to the second while both run.
// New: a block waits for another. The flag is stored with release and read with acquire, so that
// whatever came before the store has happened for the reader of the flag. Limit: two blocks, which
// every device holds at once; more blocks need an order in which they may wait (05b).
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kNumBanks = 32;
constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__host__ __device__ constexpr int padded(int i) { return i + i / kNumBanks; }

constexpr int kWordsPerTile = padded(kItemsPerBlock - 1) + 1;

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

struct Message {
  unsigned flag;  // 0 at first; 1: `sum` is there
  unsigned sum;   // of the first tile
};

// Called by one thread of the block that holds the first tile.
__device__ void send(Message& message, unsigned sum) {
  message.sum = sum;
  Flag(message.flag).store(1, cuda::memory_order_release);
}

// Called by one thread of the other block. Returns what was sent.
__device__ unsigned receive(Message& message) {
  while (Flag(message.flag).load(cuda::memory_order_acquire) == 0) {
  }
  return message.sum;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block, at most two.
__global__ void two_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                  Message* d_message) {
  __shared__ unsigned tile[kWordsPerTile];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;  // may be more than a tile

  for (int i = t; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[padded(i)] = i < num_tile_items ? d_in[begin + i] : 0;
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) {  // wrote the root in the last step
    unsigned& root = tile[padded(kItemsPerBlock - 1)];
    if (blockIdx.x == 0) {
      send(*d_message, root);
      root = 0;
    } else {
      root = receive(*d_message);  // not 0: the way down adds it to every item
    }
  }

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the node's word was written by another thread, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[padded(right - stride)];
    tile[padded(right - stride)] = tile[padded(right)];
    tile[padded(right)] += left_sum;
  }

  __syncthreads();  // the words were written by other threads
  for (int i = t; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_out[begin + i] = tile[padded(i)];
  }
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items > kMaxItemsInTwoBlocks) throw TooManyItems(num_items, kMaxItemsInTwoBlocks);
  if (num_items == 0) return;
  Message* d_message = scratch.allocate<Message>(1);
  check(cudaMemsetAsync(d_message, 0, sizeof(Message), stream));  // or an earlier call's 1 is there
  two_blocks_kernel<<<ceil_div(num_items, kItemsPerBlock), kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_message);
  check_launch();
}

}  // namespace lab
