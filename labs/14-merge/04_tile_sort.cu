// SPDX-License-Identifier: MIT
// A block sorts a tile: each thread sorts its items in registers, then pairs of runs are merged in
// shared memory, until one run is left. Only comparisons decide, so any strict weak order will do.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = kTileItems / kThreadsPerBlock;  // 17

// How many of the first `diagonal` items of the result are from a (num_a); the rest is from
// b (num_b).
template <class Less>
__device__ int items_from_a(const Fraction* a, int num_a, const Fraction* b, int num_b,
                            int diagonal, Less comes_before) {
  // Your search of 02.
  return 0;
}

// Merges the first num_a items of the tile (num_items) with the others, from place `diagonal` of
// the result on, as many as a thread has.
template <class Less>
__device__ void merge_run(const Fraction* tile, int num_a, int num_items, int diagonal,
                          Fraction (&items)[kItemsPerThread], Less comes_before) {
  // Your merge of 03.
}

// Sorts the first num_items of a thread's items, which may be more than kItemsPerThread or none.
template <class Less>
__device__ void sort_run(Fraction (&items)[kItemsPerThread], int num_items, Less comes_before) {
  // TODO 1. Exchange neighbours that are in the wrong order, in kItemsPerThread rounds: at even
  // places in one round, at odd ones in the next. Unrolled loops keep the items in registers.
  // TODO 2. When may two equal items be exchanged? What is in the places past the last item?
}

// The tile's items from or to global memory, coalesced. No branch is between the loads, so all of
// them are issued before the first is used.
__device__ void load_tile(const Fraction* d_in, int num_items, Fraction* tile) {
  Fraction items[kItemsPerThread];
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = k * kThreadsPerBlock + threadIdx.x;
    items[k] = d_in[min(place, num_items - 1)];
  }
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = k * kThreadsPerBlock + threadIdx.x;
    if (place < num_items) tile[place] = items[k];
  }
}
__device__ void store_tile(const Fraction* tile, int num_items, Fraction* d_out) {
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = k * kThreadsPerBlock + threadIdx.x;
    if (place < num_items) d_out[place] = tile[place];
  }
}

// d_in, d_out (num_items): sorts each tile.
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    tile_sort_kernel(const Fraction* d_in, int num_all, Fraction* d_out, Less comes_before) {
  __shared__ Fraction tile[kTileItems];
  const int begin = blockIdx.x * kTileItems;
  const int num_items = min(kTileItems, num_all - begin);
  load_tile(d_in + begin, num_items, tile);
  __syncthreads();
  // TODO 3. Which items of the tile does this thread sort with sort_run? How many has the last
  // thread that has any?
  // TODO 4. Runs of kItemsPerThread items are sorted now, then twice as many, and so on. Write each
  // round's runs back into the tile. Which two barriers does a round need?
  // TODO 5. Which pair of runs does this thread's part of the result belong to? Where does the pair
  // begin, and how long are its two runs at the end of the last tile?
  store_tile(tile, num_items, d_out + begin);
}

}  // namespace

void sort_tiles(const Fraction* d_in, int num_items, Order order, Fraction* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  todo("04_tile_sort: write sort_run and the kernel, then delete this line");

  const int num_tiles = ceil_div(num_items, kTileItems);
  if (num_tiles == 0) return;  // a grid of 0 blocks is an error
  if (order == Order::kByValue) {
    tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out, ByValue());
  } else {
    tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out,
                                                                 LargestDenominatorFirst());
  }
  check_launch();
}

}  // namespace lab
