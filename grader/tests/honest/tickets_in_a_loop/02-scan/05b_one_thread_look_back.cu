// SPDX-License-Identifier: MIT
// style: only as many blocks as fit, which draw one ticket after another
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreads = 1024;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;

using Word = unsigned long long;
constexpr Word kAggregate = Word{1} << 32;
constexpr Word kPrefix = Word{2} << 32;

__device__ unsigned scan_warp(unsigned value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned before = __shfl_up_sync(~0u, value, step);
    if (threadIdx.x % 32 >= step) value += before;
  }
  return value;
}

__device__ unsigned look_back(const volatile Word* d_words, int tile) {
  unsigned sum = 0;
  while (--tile >= 0) {
    Word word = 0;
    while ((word = d_words[tile]) == 0) __nanosleep(50);
    sum += static_cast<unsigned>(word);
    if (word >= kPrefix) break;
  }
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const unsigned* d_in, int num_items, int* d_ticket, volatile Word* d_words,
                unsigned* d_out) {
  __shared__ int ticket;
  __shared__ unsigned warps[kThreads / 32];
  __shared__ unsigned before_tile;
  const int t = threadIdx.x;
  const int num_tiles = ceil_div(num_items, kTile);
  for (;;) {
    if (t == 0) ticket = atomicAdd(d_ticket, 1);
    __syncthreads();
    const int tile = ticket;
    if (tile >= num_tiles) return;
    // Rows of a warp follow on each other: each is scanned by shuffles, and carries on.
    const int first = tile * kTile + t / 32 * 32 * kPerThread + t % 32;
    unsigned sums[kPerThread];
    unsigned carry = 0;
    for (int k = 0; k < kPerThread; ++k) {
      const int i = first + 32 * k;
      const unsigned item = i < num_items ? d_in[i] : 0;
      const unsigned inclusive = scan_warp(item);
      sums[k] = carry + inclusive - item;
      carry += __shfl_sync(~0u, inclusive, 31);
    }
    if (t % 32 == 0) warps[t / 32] = carry;
    __syncthreads();
    const unsigned own = warps[t % 32];
    const unsigned inclusive = scan_warp(own);
    const unsigned before_warp = __shfl_sync(~0u, inclusive - own, t / 32);
    const unsigned aggregate = __shfl_sync(~0u, inclusive, 31);
    if (t == 0) {
      d_words[tile] = kAggregate | aggregate;
      before_tile = look_back(d_words, tile);
      d_words[tile] = kPrefix | (before_tile + aggregate);
    }
    __syncthreads();
    for (int k = 0; k < kPerThread; ++k) {
      const int i = first + 32 * k;
      if (i < num_items) d_out[i] = before_tile + before_warp + sums[k];
    }
  }
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kTile);
  Word* const d_words = scratch.allocate<Word>(num_tiles);
  int* const d_ticket = scratch.allocate<int>(1);
  check(cudaMemsetAsync(d_words, 0, num_tiles * sizeof(Word), stream));
  check(cudaMemsetAsync(d_ticket, 0, sizeof(int), stream));
  const int blocks = std::min(num_tiles, max_resident_blocks(scan_kernel, kThreads));
  scan_kernel<<<blocks, kThreads, 0, stream>>>(as_unsigned(d_in), num_items, d_ticket, d_words,
                                               as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
