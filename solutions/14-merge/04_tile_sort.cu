// SPDX-License-Identifier: MIT
// A block sorts a tile: each thread sorts its items in registers, then pairs of runs are merged in
// shared memory, until one run is left. Only comparisons decide, so any strict weak order will do.
// New: the runs to merge are in the tile; items that are not there are never compared.
// Limit: eight rounds of searches and barriers per tile.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
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
  int low = max(0, diagonal - num_b);
  int high = min(diagonal, num_a);  // the answer is in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    if (comes_before(b[diagonal - 1 - middle], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Merges the first num_a items of the tile (num_items) with the others, from place `diagonal` of
// the result on, as many as a thread has.
template <class Less>
__device__ void merge_run(const Fraction* tile, int num_a, int num_items, int diagonal,
                          Fraction (&items)[kItemsPerThread], Less comes_before) {
  int i = items_from_a(tile, num_a, tile + num_a, num_items - num_a, diagonal, comes_before);
  int j = num_a + diagonal - i;
  const int last = num_items - 1;  // reads past the end stop here, and are not used
  Fraction from_a = tile[min(i, last)];
  Fraction from_b = tile[min(j, last)];
#pragma unroll
  for (Fraction& item : items) {
    const bool takes_b = i >= num_a || (j < num_items && comes_before(from_b, from_a));
    item = takes_b ? from_b : from_a;
    const int next = takes_b ? ++j : ++i;
    (takes_b ? from_b : from_a) = tile[min(next, last)];
  }
}

// Sorts the first num_items of a thread's items: neighbours are exchanged, at even places, then at
// odd ones. Equal items are never exchanged.
template <class Less>
__device__ void sort_run(Fraction (&items)[kItemsPerThread], int num_items, Less comes_before) {
#pragma unroll
  for (int round = 0; round < kItemsPerThread; ++round) {
#pragma unroll
    for (int k = round % 2; k + 1 < kItemsPerThread; k += 2) {
      if (k + 1 < num_items && comes_before(items[k + 1], items[k])) {
        const Fraction item = items[k];
        items[k] = items[k + 1];
        items[k + 1] = item;
      }
    }
  }
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
  Fraction items[kItemsPerThread];
  const int own = threadIdx.x * kItemsPerThread;  // the thread's first place
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    if (own + k < num_items) items[k] = tile[own + k];
  }
  sort_run(items, num_items - own, comes_before);
#pragma unroll 1
  for (int width = kItemsPerThread;; width *= 2) {
    __syncthreads();  // all threads have read their items
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) {
      if (own + k < num_items) tile[own + k] = items[k];
    }
    __syncthreads();  // runs of `width` items are in the tile
    if (width == kTileItems) break;
    const int pair = own / (2 * width) * (2 * width);  // where the pair of runs begins
    const int num_pair = min(2 * width, num_items - pair);
    if (own < num_items) {
      merge_run(tile + pair, min(width, num_pair), num_pair, own - pair, items, comes_before);
    }
  }
  store_tile(tile, num_items, d_out + begin);
}

}  // namespace

void sort_tiles(const Fraction* d_in, int num_items, Order order, Fraction* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
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
