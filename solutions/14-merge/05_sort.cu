// SPDX-License-Identifier: MIT
// A whole sort: the tiles of rung 04, then passes that merge pairs of runs, as rung 03 merges two
// arrays, until one run is left.
// New: a tile knows which pair of runs it belongs to; two buffers take turns.
// Limit: each pass reads and writes all items, and the number of passes grows with the length.
#include <algorithm>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 17;  // odd: the threads' runs begin in different banks
constexpr int kSortTileItems = kThreadsPerBlock * kItemsPerThread;

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
  __shared__ Fraction tile[kSortTileItems];
  const int begin = blockIdx.x * kSortTileItems;
  const int num_items = min(kSortTileItems, num_all - begin);
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
    if (width == kSortTileItems) break;
    const int pair = own / (2 * width) * (2 * width);  // where the pair of runs begins
    const int num_pair = min(2 * width, num_items - pair);
    if (own < num_items) {
      merge_run(tile + pair, min(width, num_pair), num_pair, own - pair, items, comes_before);
    }
  }
  store_tile(tile, num_items, d_out + begin);
}

// Two neighbouring runs of `width` items, or what is left of them, that a tile belongs to.
struct Pair {
  int begin;
  int num_a;
  int num_b;
  __device__ Pair(int place, int width, int num_items)
      : begin(place / (2 * width) * (2 * width)),
        num_a(min(width, num_items - begin)),
        num_b(min(width, num_items - begin - num_a)) {}
};

// d_in (num_items), d_begins (num_tiles): how many items of its pair's first run precede each tile.
template <class Less>
__global__ void partition_kernel(const Fraction* d_in, int num_items, int width, int num_tiles,
                                 int* d_begins, Less comes_before) {
  const int tile = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (tile >= num_tiles) return;
  const Pair pair(tile * kSortTileItems, width, num_items);
  const Fraction* const d_a = d_in + pair.begin;
  d_begins[tile] = items_from_a(d_a, pair.num_a, d_a + pair.num_a, pair.num_b,
                                tile * kSortTileItems - pair.begin, comes_before);
}

// d_in, d_out (num_items), d_begins (gridDim.x): merges pairs of runs of `width` items.
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const Fraction* d_in, int num_all, int width, const int* d_begins, Fraction* d_out,
                 Less comes_before) {
  __shared__ Fraction tile[kSortTileItems];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kSortTileItems;
  const Pair pair(begin, width, num_all);
  const int diagonal = begin - pair.begin;
  const int num_items = min(kSortTileItems, pair.num_a + pair.num_b - diagonal);
  const bool is_last = diagonal + num_items == pair.num_a + pair.num_b;  // the pair's last tile
  const int begin_a = d_begins[blockIdx.x];
  const int num_a = (is_last ? pair.num_a : d_begins[blockIdx.x + 1]) - begin_a;
  const Fraction* const d_a = d_in + pair.begin + begin_a;
  const Fraction* const d_b = d_in + pair.begin + pair.num_a + (diagonal - begin_a);
  Fraction items[kItemsPerThread];
  // No branch is between the loads, so all of them are issued before the first is used.
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = min(k * kThreadsPerBlock + t, num_items - 1);
    items[k] = *(place < num_a ? &d_a[place] : &d_b[place - num_a]);
  }
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = k * kThreadsPerBlock + t;
    if (place < num_items) tile[place] = items[k];
  }
  __syncthreads();  // both parts are here
  merge_run(tile, num_a, num_items, min(t * kItemsPerThread, num_items), items, comes_before);
  __syncthreads();  // all runs are in registers: the tile may be overwritten
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) tile[t * kItemsPerThread + k] = items[k];
  __syncthreads();
  store_tile(tile, num_items, d_out + begin);
}

template <class Less>
void sort_by(const Fraction* d_in, int num_items, Fraction* d_out, Scratch& scratch,
             cudaStream_t stream, Less comes_before) {
  const int num_tiles = ceil_div(num_items, kSortTileItems);
  int* const d_begins = scratch.allocate<int>(num_tiles);
  Fraction* d_from = scratch.allocate<Fraction>(num_items);
  Fraction* d_to = d_out;
  int num_passes = 0;
  for (int width = kSortTileItems; width < num_items; width *= 2) ++num_passes;
  if (num_passes % 2 == 0) std::swap(d_from, d_to);  // the last pass writes to d_out
  tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_from,
                                                               comes_before);
  check_launch();
  for (int width = kSortTileItems; width < num_items; width *= 2) {
    partition_kernel<<<ceil_div(num_tiles, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
        d_from, num_items, width, num_tiles, d_begins, comes_before);
    check_launch();
    merge_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_from, num_items, width, d_begins,
                                                             d_to, comes_before);
    check_launch();
    std::swap(d_from, d_to);
  }
}

}  // namespace

void sort(const Fraction* d_in, int num_items, Order order, Fraction* d_out, Scratch& scratch,
          cudaStream_t stream) {
  if (num_items == 0) return;  // a grid of 0 blocks is an error
  if (order == Order::kByValue) {
    sort_by(d_in, num_items, d_out, scratch, stream, ByValue());
  } else {
    sort_by(d_in, num_items, d_out, scratch, stream, LargestDenominatorFirst());
  }
}

}  // namespace lab
