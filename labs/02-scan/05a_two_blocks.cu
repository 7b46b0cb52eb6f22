// SPDX-License-Identifier: MIT
// Two tiles in one launch: the first block hands its sum to the second while both run.
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

struct Message {
  unsigned flag;  // 0 at first; 1: `sum` is there
  unsigned sum;   // of the first tile
};

// Called by one thread of the block that holds the first tile.
__device__ void send(Message& message, unsigned sum) {
  // TODO 1. Two stores, the sum and the flag: Flag(message.flag).store(1, cuda::memory_order_...).
  //         In which order must the other block see them, and what makes it see them so?
}

// Called by one thread of the other block. Returns what was sent.
__device__ unsigned receive(Message& message) {
  // TODO 2. Read the flag until it is set: Flag(message.flag).load(cuda::memory_order_...). What
  //         may the compiler do to this loop if the flag is read as a plain word?
  return 0;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block, at most two.
__global__ void two_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                  Message* d_message) {
  // TODO 3. Your 05's scan of a tile. Between the two sweeps thread 0 holds the tile's sum. What
  //         does it do with it in block 0?
  // TODO 4. In block 1, thread 0 waits for the message. With 0 in the root, the way down gives
  //         every item the sum of the items before it in the tile. With what does it give the sum
  //         of all items before it?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("05a_two_blocks: write the kernel, send and receive, then delete this line");

  // TODO 5. Two blocks scan kMaxItemsInTwoBlocks items. What does scan.cuh require for more?
  // TODO 6. Scratch memory holds garbage, such as the flag of the call before. What clears it, and
  //         why must that be queued on `stream`?
  Message* d_message = scratch.allocate<Message>(1);
  two_blocks_kernel<<<ceil_div(num_items, kItemsPerBlock), kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_message);
  check_launch();
}

}  // namespace lab
