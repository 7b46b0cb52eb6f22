// SPDX-License-Identifier: MIT
// A block merges a tile of the result. A first kernel finds where the tiles begin; the block copies
// the tile's two parts into shared memory, its threads search and merge there, and the result
// leaves through shared memory, too.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 17;  // why an odd number? See TODO 6
constexpr int kMergeTileItems = kThreadsPerBlock * kItemsPerThread;

// How many of the first `diagonal` items of the result are from a (num_a); the rest is from
// b (num_b).
template <class Less>
__device__ int items_from_a(const Fraction* a, int num_a, const Fraction* b, int num_b,
                            int diagonal, Less comes_before) {
  // Your search of 02.
  return 0;
}

// d_begins (num_tiles + 1): how many items from d_a precede each tile, and the end of the last.
template <class Less>
__global__ void partition_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b,
                                 int num_tiles, int* d_begins, Less comes_before) {
  // TODO 1. Tiles begin at multiples of kMergeTileItems in the result. Where do their items of d_a
  // begin? What is d_begins[num_tiles], so that the last tile needs no special case?
}

// Merges the first num_a items of the tile (num_items) with the others, from place `diagonal` of
// the result on, as many as a thread has.
template <class Less>
__device__ void merge_run(const Fraction* tile, int num_a, int num_items, int diagonal,
                          Fraction (&items)[kItemsPerThread], Less comes_before) {
  // TODO 2. Where does the run begin in both parts? The last threads may have no items.
  // TODO 3. Merge into `items`, which are registers if the loop is unrolled. Read each item of the
  // tile once, when the item before it is taken. At the end of a part there is no next item: which
  // place do you read then, if any?
}

// d_a (num_a), d_b (num_b), d_out (num_a + num_b), d_begins (gridDim.x + 1)
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    block_kernel(const Fraction* d_a, const Fraction* d_b, int num_all, const int* d_begins,
                 Fraction* d_out, Less comes_before) {
  __shared__ Fraction tile[kMergeTileItems];
  // TODO 4. Which part of d_a, and which of d_b, does this tile merge? How many items are they?
  // TODO 5. Copy both parts into the tile, one after the other, so that neighbouring threads read
  // neighbouring items. How do you get all loads of a thread under way before it uses the first?
  // TODO 6. Merge, and write d_out so that neighbouring threads write neighbouring items. The items
  // take a detour through the tile. Which barriers are needed? In which banks do the threads' runs
  // begin, with 16 items per thread and with 17?
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& scratch, cudaStream_t stream) {
  todo("03_block: write the kernels, then delete this line");

  const int num_items = num_a + num_b;
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  const int num_tiles = ceil_div(num_items, kMergeTileItems);
  int* const d_begins = scratch.allocate<int>(num_tiles + 1);
  partition_kernel<<<ceil_div(num_tiles + 1, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_a, num_a, d_b, num_b, num_tiles, d_begins, ByValue());
  check_launch();
  block_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_items, d_begins, d_out,
                                                           ByValue());
  check_launch();
}

}  // namespace lab
