// SPDX-License-Identifier: MIT
// Scans of other kinds and under other operators: 05 with its choices made parameters.
// New: an operator that need not commute, so that every combination says which operand is the
// earlier one; the inclusive result from the exclusive one. Cost: as 05.
#include <algorithm>
#include <climits>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {

// Operators, called with the earlier operand first, and their identities.
struct Add {
  static constexpr unsigned kIdentity = 0;
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
struct Max {
  static constexpr int kIdentity = INT_MIN;
  __device__ int operator()(int a, int b) const { return max(a, b); }
};
struct Compose {
  static constexpr AffineMap kIdentity = {1, 0};
  __device__ AffineMap operator()(AffineMap first, AffineMap then) const {
    return {then.scale * first.scale, then.scale * first.shift + then.shift};
  }
};

namespace {

enum class Kind { kExclusive, kInclusive };

constexpr int kNumBanks = 32;
constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__host__ __device__ constexpr int padded(int i) { return i + i / kNumBanks; }

constexpr int kWordsPerTile = padded(kItemsPerBlock - 1) + 1;

// Scans each block's tile of d_in on its own; d_block_sums (gridDim.x) gets what the tiles combine
// to. d_out may be d_in.
template <Kind kind, class T, class Combine>
__global__ void scan_blocks_kernel(const T* d_in, int num_items, T* d_out, T* d_block_sums,
                                   Combine combine) {
  __shared__ T tile[kWordsPerTile];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;  // may be more than a tile

  T own[2];  // this thread's items: an inclusive result is the exclusive one and the item
  for (int k = 0; k < 2; ++k) {
    const int i = k * kThreadsPerBlock + t;
    own[k] = i < num_tile_items ? d_in[begin + i] : Combine::kIdentity;
    tile[padded(i)] = own[k];
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    tile[padded(right)] = combine(tile[padded(right - stride)], tile[padded(right)]);
  }

  if (t == 0) {
    d_block_sums[blockIdx.x] = tile[padded(kItemsPerBlock - 1)];
    tile[padded(kItemsPerBlock - 1)] = Combine::kIdentity;
  }

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the node's word was written by another thread, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const T left_sum = tile[padded(right - stride)];
    const T before_node = tile[padded(right)];
    tile[padded(right - stride)] = before_node;
    tile[padded(right)] = combine(before_node, left_sum);  // what is before the node is earlier
  }

  __syncthreads();  // the words were written by other threads
  for (int k = 0; k < 2; ++k) {
    const int i = k * kThreadsPerBlock + t;
    if (i >= num_tile_items) continue;
    const T before = tile[padded(i)];
    d_out[begin + i] = kind == Kind::kInclusive ? combine(before, own[k]) : before;
  }
}

// Puts d_increments[block], the combination of all tiles before it, before each item of a tile.
template <class T, class Combine>
__global__ void add_increments_kernel(const T* d_increments, int num_items, T* d_items,
                                      Combine combine) {
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;
  const T increment = d_increments[blockIdx.x];
  for (int i = threadIdx.x; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_items[begin + i] = combine(increment, d_items[begin + i]);
  }
}

// d_out may be d_in: no block reads what another one writes.
template <Kind kind, class T, class Combine>
void scan(const T* d_in, int num_items, T* d_out, Combine combine, Scratch& scratch,
          cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kItemsPerBlock);
  T* d_block_sums = scratch.allocate<T>(num_blocks);
  scan_blocks_kernel<kind>
      <<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out, d_block_sums, combine);
  check_launch();
  if (num_blocks == 1) return;

  // Exclusive on all levels but the first, whatever the caller wants.
  scan<Kind::kExclusive>(d_block_sums, num_blocks, d_block_sums, combine, scratch, stream);
  add_increments_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_items, d_out,
                                                                     combine);
  check_launch();
}

constexpr int kMapThreads = 256;

// An item on its own: any order of the threads is right, also where d_out is d_exclusive.
__global__ void to_inclusive_kernel(const unsigned* d_in, const unsigned* d_exclusive,
                                    int num_items, unsigned* d_out) {
  const int item = blockIdx.x * kMapThreads + threadIdx.x;
  if (item < num_items) d_out[item] = d_exclusive[item] + d_in[item];
}

// One place to the right. In place it would be a race: the word read is another thread's to write.
__global__ void to_exclusive_kernel(const unsigned* d_inclusive, int num_items, unsigned* d_out) {
  const int item = blockIdx.x * kMapThreads + threadIdx.x;
  if (item < num_items) d_out[item] = item == 0 ? Add::kIdentity : d_inclusive[item - 1];
}

}  // namespace

void inclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  scan<Kind::kInclusive>(as_unsigned(d_in), num_items, as_unsigned(d_out), Add{}, scratch, stream);
}

void inclusive_from_exclusive(const int* d_in, const int* d_exclusive, int num_items, int* d_out,
                              Scratch& /*scratch*/, cudaStream_t stream) {
  const int num_blocks = std::max(1, ceil_div(num_items, kMapThreads));
  to_inclusive_kernel<<<num_blocks, kMapThreads, 0, stream>>>(
      as_unsigned(d_in), as_unsigned(d_exclusive), num_items, as_unsigned(d_out));
  check_launch();
}

void exclusive_from_inclusive(const int* d_inclusive, int num_items, int* d_out,
                              Scratch& /*scratch*/, cudaStream_t stream) {
  const int num_blocks = std::max(1, ceil_div(num_items, kMapThreads));
  to_exclusive_kernel<<<num_blocks, kMapThreads, 0, stream>>>(as_unsigned(d_inclusive), num_items,
                                                              as_unsigned(d_out));
  check_launch();
}

void exclusive_scan_in_place(int* d_items, int num_items, Scratch& scratch, cudaStream_t stream) {
  unsigned* const d_words = as_unsigned(d_items);
  scan<Kind::kExclusive>(d_words, num_items, d_words, Add{}, scratch, stream);
}

void exclusive_max_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  scan<Kind::kExclusive>(d_in, num_items, d_out, Max{}, scratch, stream);
}

void inclusive_affine_scan(const AffineMap* d_in, int num_maps, AffineMap* d_out, Scratch& scratch,
                           cudaStream_t stream) {
  scan<Kind::kInclusive>(d_in, num_maps, d_out, Compose{}, scratch, stream);
}

}  // namespace lab
