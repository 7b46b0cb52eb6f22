// SPDX-License-Identifier: MIT
// A tree in shared memory: sums on the way up, prefixes on the way down, all in place.
// 2 * (N - 1) additions, at most twice what one thread needs; twice as many steps as 02.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kItemsPerBlock = kMaxItemsInOneBlock;
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

// tile (kItemsPerBlock), in shared memory, in all of these; called by all threads of the block.

// Fills the tile: d_in (num_items), and past the end what changes no sum.
__device__ void load_tile(const unsigned* d_in, int num_items, unsigned* tile) {
  // TODO 1. Two items per thread. Which two, so that a warp reads neighbouring words both times?
}

// Writes the first num_items words of the tile to d_out.
__device__ void store_tile(const unsigned* tile, int num_items, unsigned* d_out) {
  // TODO 2. Other threads wrote the words: what comes first?
}

// Afterwards tile[i] holds the sum of the items under the tree's node that ends at word i.
__device__ void up_sweep_tile(unsigned* tile) {
  // TODO 3. Draw the tree over 8 words: 0 1 2 3 4 5 6 7 becomes 0 1 2 6 4 9 6 28. In the step with
  //         `stride`, the nodes end at words 2 * stride - 1, 4 * stride - 1, ... Which of them is
  //         thread t's, and which threads have none?
  // TODO 4. `for (stride = 1; stride < kItemsPerBlock; stride *= 2)`: where does the barrier go?
}

// Turns the tree of sums into the exclusive scan of the items.
__device__ void down_sweep_tile(unsigned* tile) {
  // TODO 5. Now a node's word must hold the sum of all items before the node. What is that for the
  //         root? One thread writes it, once. Which thread may do so without another barrier?
  // TODO 6. From the root to the leaves: given a node's word, what is before its left child, and
  //         what before its right child? Save the left child's sum before you overwrite it.
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
  todo("03_blelloch: write load_tile, store_tile and up_sweep_tile, then delete this line");

  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  up_sweep_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                      as_unsigned(d_out));
  check_launch();
}

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  todo("03_blelloch: write down_sweep_tile, then delete this line");

  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  blelloch_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                      as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
