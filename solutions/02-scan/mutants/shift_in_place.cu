// SPDX-License-Identifier: MIT
// mutant of: 07_conversions
// mistake: 25, right only under one interleaving: the shift is made in d_inclusive
// expect: failed race
// also: input_modified, wrong_result
// line: 127
#include <algorithm>
#include <climits>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
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

template <Kind kind, class T, class Combine>
__global__ void scan_blocks_kernel(const T* d_in, int num_items, T* d_out, T* d_block_sums,
                                   Combine combine) {
  __shared__ T tile[kWordsPerTile];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;

  T own[2];
  for (int k = 0; k < 2; ++k) {
    const int i = k * kThreadsPerBlock + t;
    own[k] = i < num_tile_items ? d_in[begin + i] : Combine::kIdentity;
    tile[padded(i)] = own[k];
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    tile[padded(right)] = combine(tile[padded(right - stride)], tile[padded(right)]);
  }

  if (t == 0) {
    d_block_sums[blockIdx.x] = tile[padded(kItemsPerBlock - 1)];
    tile[padded(kItemsPerBlock - 1)] = Combine::kIdentity;
  }

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const T left_sum = tile[padded(right - stride)];
    const T before_node = tile[padded(right)];
    tile[padded(right - stride)] = before_node;
    tile[padded(right)] = combine(before_node, left_sum);
  }

  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    const int i = k * kThreadsPerBlock + t;
    if (i >= num_tile_items) continue;
    const T before = tile[padded(i)];
    d_out[begin + i] = kind == Kind::kInclusive ? combine(before, own[k]) : before;
  }
}

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

  scan<Kind::kExclusive>(d_block_sums, num_blocks, d_block_sums, combine, scratch, stream);
  add_increments_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_items, d_out,
                                                                     combine);
  check_launch();
}

constexpr int kMapThreads = 256;

__global__ void to_inclusive_kernel(const unsigned* d_in, const unsigned* d_exclusive,
                                    int num_items, unsigned* d_out) {
  const int item = blockIdx.x * kMapThreads + threadIdx.x;
  if (item < num_items) d_out[item] = d_exclusive[item] + d_in[item];
}

__global__ void to_exclusive_kernel(const unsigned* d_inclusive, int num_items, unsigned* d_out) {
  const int item = blockIdx.x * kMapThreads + threadIdx.x;
  if (item >= num_items) return;
  unsigned* d_shifted = const_cast<unsigned*>(d_inclusive);
  const unsigned before = item == 0 ? Add::kIdentity : d_shifted[item - 1];
  d_shifted[item] = before;
  d_out[item] = before;
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
