// SPDX-License-Identifier: MIT
// A whole sort: the tiles of rung 04, then passes that merge pairs of runs, as rung 03 merges two
// arrays, until one run is left.
#include <algorithm>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 17;  // odd: the threads' runs begin in different banks
constexpr int kSortTileItems = kThreadsPerBlock * kItemsPerThread;

// Begin with your 04: everything up to the kernel that sorts tiles, with kSortTileItems for
// kTileItems.

// Two neighbouring runs of `width` items, or what is left of them, that a tile belongs to.
struct Pair {
  int begin;
  int num_a;
  int num_b;
  __device__ Pair(int place, int width, int num_items)
      : begin(place / (2 * width) * (2 * width)),
        // TODO 1. What is left at the end of the array? A run may be short, or empty.
        num_a(0),
        num_b(0) {}
};

// d_in (num_items), d_begins (num_tiles): how many items of its pair's first run precede each tile.
template <class Less>
__global__ void partition_kernel(const Fraction* d_in, int num_items, int width, int num_tiles,
                                 int* d_begins, Less comes_before) {
  const int tile = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (tile >= num_tiles) return;
  // TODO 2. As in rung 03, but within the pair of this tile. Where do its two runs begin, and which
  // place of the pair's result is the beginning of the tile?
}

// d_in, d_out (num_items), d_begins (gridDim.x): merges pairs of runs of `width` items.
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const Fraction* d_in, int num_all, int width, const int* d_begins, Fraction* d_out,
                 Less comes_before) {
  __shared__ Fraction tile[kSortTileItems];
  // TODO 3. As in rung 03. Which part of the pair's first run does the tile merge? d_begins says
  // where it begins. The next tile says where it ends, unless this is the last tile of the pair.
}

template <class Less>
void sort_by(const Fraction* d_in, int num_items, Fraction* d_out, Scratch& scratch,
             cudaStream_t stream, Less comes_before) {
  const int num_tiles = ceil_div(num_items, kSortTileItems);
  int* const d_begins = scratch.allocate<int>(num_tiles);
  Fraction* const d_other = scratch.allocate<Fraction>(num_items);
  // TODO 4. Sort the tiles, then merge runs of kSortTileItems items, of twice as many, and so on,
  // from one buffer to the other. The last pass must write to d_out. So where do the tiles go?
}

}  // namespace

void sort(const Fraction* d_in, int num_items, Order order, Fraction* d_out, Scratch& scratch,
          cudaStream_t stream) {
  todo("05_sort: write the passes, then delete this line");

  if (num_items == 0) return;  // a grid of 0 blocks is an error
  if (order == Order::kByValue) {
    sort_by(d_in, num_items, d_out, scratch, stream, ByValue());
  } else {
    sort_by(d_in, num_items, d_out, scratch, stream, LargestDenominatorFirst());
  }
}

}  // namespace lab
