// SPDX-License-Identifier: MIT
// Blelloch's tree with an unused word after every 32, so that no step uses a bank twice.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kNumBanks = 32;
constexpr int kItemsPerBlock = kMaxItemsInOneBlock;
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

// Where item i of the tile lives in shared memory.
__host__ __device__ constexpr int padded(int i) {
  // TODO 1. Word i is in bank i % 32. In your 03, write down the words that lanes 0, 1, 2, ...
  //         touch in the step with stride 16, and their banks. Where should item 32 live, so that
  //         it is not in the bank of item 0? And item 64?
  return i;
}

// TODO 2. How many words does the tile take now?
constexpr int kWordsPerTile = kItemsPerBlock;

// Writes the exclusive scan of d_in (num_items) to d_out (num_items). One block.
__global__ void conflict_free_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kWordsPerTile];

  // TODO 3. Your 03, in one piece. Every index of the tile goes through padded(), the root's, too;
  //         indices of d_in and d_out do not. Is padded(i) - padded(stride) the left child's word?
  // TODO 4. `./lab profile 02-scan/04_conflict_free` counts the conflicts that are left, by line.
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  todo("04_conflict_free: write padded() and the kernel, then delete this line");

  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  conflict_free_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                           as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
