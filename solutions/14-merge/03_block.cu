// SPDX-License-Identifier: MIT
// A block merges a tile of the result. A first kernel finds where the tiles begin; the block copies
// the tile's two parts into shared memory, its threads search and merge there, and the result
// leaves through shared memory, too.
// New: all accesses to global memory are coalesced. Limit: the memory's bandwidth.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "merge.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 17;  // odd: the threads' runs begin in different banks
constexpr int kMergeTileItems = kThreadsPerBlock * kItemsPerThread;

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

// d_begins (num_tiles + 1): how many items from d_a precede each tile, and the end of the last.
template <class Less>
__global__ void partition_kernel(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b,
                                 int num_tiles, int* d_begins, Less comes_before) {
  const int boundary = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (boundary > num_tiles) return;
  const int diagonal = min(boundary * kMergeTileItems, num_a + num_b);
  d_begins[boundary] = items_from_a(d_a, num_a, d_b, num_b, diagonal, comes_before);
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

// d_a (num_a), d_b (num_b), d_out (num_a + num_b), d_begins (gridDim.x + 1)
template <class Less>
__global__ void __launch_bounds__(kThreadsPerBlock)
    block_kernel(const Fraction* d_a, const Fraction* d_b, int num_all, const int* d_begins,
                 Fraction* d_out, Less comes_before) {
  __shared__ Fraction tile[kMergeTileItems];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kMergeTileItems;
  const int num_items = min(kMergeTileItems, num_all - begin);
  const int begin_a = d_begins[blockIdx.x];
  const int num_a = d_begins[blockIdx.x + 1] - begin_a;
  const Fraction* const d_tile_a = d_a + begin_a;
  const Fraction* const d_tile_b = d_b + (begin - begin_a);
  Fraction items[kItemsPerThread];
  // No branch is between the loads, so all of them are issued before the first is used.
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = min(k * kThreadsPerBlock + t, num_items - 1);
    items[k] = *(place < num_a ? &d_tile_a[place] : &d_tile_b[place - num_a]);
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
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int place = k * kThreadsPerBlock + t;
    if (place < num_items) d_out[begin + place] = tile[place];
  }
}

}  // namespace

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& scratch, cudaStream_t stream) {
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
