// SPDX-License-Identifier: MIT
// style: __match_any_sync ranks the keys; C++20: concepts, designated initializers, a table of passes in __constant__ memory
#include <concepts>
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;
constexpr int kDigits = 16;
constexpr int kPasses = 8;

__constant__ int c_shift[kPasses] = {0, 4, 8, 12, 16, 20, 24, 28};

template <std::unsigned_integral Key>
__device__ int digit(Key key, int pass) {
  return static_cast<int>(key >> c_shift[pass] & Key{kDigits - 1});
}

struct Pass {
  const std::uint32_t* d_from;
  std::uint32_t* d_to;
  int num_items;
  int number;
};

__global__ void count_kernel(Pass pass, int* d_counts) {
  __shared__ int counts[kDigits];
  if (threadIdx.x < kDigits) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < kPerThread; ++k) {
    const int i = blockIdx.x * kTile + k * kThreads + threadIdx.x;
    const unsigned there = __ballot_sync(~0u, i < pass.num_items);
    if (i >= pass.num_items) continue;
    const int own = digit(pass.d_from[i], pass.number);
    const unsigned same = __match_any_sync(there, own);
    if (__ffs(static_cast<int>(same)) - 1 == static_cast<int>(threadIdx.x) % 32) {
      atomicAdd(&counts[own], __popc(same));
    }
  }
  __syncthreads();
  if (threadIdx.x < kDigits) d_counts[threadIdx.x * gridDim.x + blockIdx.x] = counts[threadIdx.x];
}

__global__ void __launch_bounds__(kThreads) scatter_kernel(Pass pass, const int* d_starts) {
  __shared__ std::uint32_t tile[kTile];
  __shared__ int counts[kWarps][kDigits];
  __shared__ int shift[kDigits];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (lane < kDigits) counts[warp][lane] = 0;
  __syncwarp();
  std::uint32_t keys[kPerThread];
  int ranks[kPerThread];
  for (int k = 0; k < kPerThread; ++k) {
    const int i = blockIdx.x * kTile + (warp * kPerThread + k) * 32 + lane;
    keys[k] = i < pass.num_items ? pass.d_from[i] : ~0u;
    const int own = digit(keys[k], pass.number);
    const unsigned same = __match_any_sync(~0u, own);
    ranks[k] = counts[warp][own] + __popc(same & ((1u << lane) - 1));
    __syncwarp();
    if (31 - __clz(static_cast<int>(same)) == lane) counts[warp][own] = ranks[k] + 1;
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < kDigits) {
    const unsigned half = (1u << kDigits) - 1;
    int total = 0;
    for (int w = 0; w < kWarps; ++w) total += counts[w][threadIdx.x];
    int first = total;
    for (int step = 1; step < kDigits; step *= 2) {
      const int below = __shfl_up_sync(half, first, step, kDigits);
      if (lane >= step) first += below;
    }
    first -= total;
    shift[threadIdx.x] = d_starts[threadIdx.x * gridDim.x + blockIdx.x] - first;
    for (int w = 0; w < kWarps; ++w) {
      const int count = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = first;
      first += count;
    }
  }
  __syncthreads();
  for (int k = 0; k < kPerThread; ++k) {
    tile[counts[warp][digit(keys[k], pass.number)] + ranks[k]] = keys[k];
  }
  __syncthreads();
  const int left = pass.num_items - static_cast<int>(blockIdx.x) * kTile;
  for (int i = threadIdx.x; i < kTile && i < left; i += kThreads) {
    pass.d_to[shift[digit(tile[i], pass.number)] + i] = tile[i];
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  if (num_items == 0) return;
  const int tiles = ceil_div(num_items, kTile);
  std::uint32_t* const d_buffers[2] = {scratch.allocate<std::uint32_t>(num_items), d_out};
  int* const d_counts = scratch.allocate<int>(kDigits * tiles);
  int* const d_starts = scratch.allocate<int>(kDigits * tiles);
  for (int number = 0; number < kPasses; ++number) {
    const Pass pass = {.d_from = number == 0 ? d_in : d_buffers[(number + 1) % 2],
                       .d_to = d_buffers[number % 2],
                       .num_items = num_items,
                       .number = number};
    count_kernel<<<tiles, kThreads, 0, stream>>>(pass, d_counts);
    check_launch();
    exclusive_scan(d_counts, kDigits * tiles, d_starts, scratch, stream);
    scatter_kernel<<<tiles, kThreads, 0, stream>>>(pass, d_starts);
    check_launch();
  }
}

}  // namespace lab
