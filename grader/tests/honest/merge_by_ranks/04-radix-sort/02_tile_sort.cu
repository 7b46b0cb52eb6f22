// SPDX-License-Identifier: MIT
// style: a merge sort: each key finds its place in the neighbouring run by a recursive binary
// search
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreads = kSortTileItems;

// How many of the run's keys are less than `key`, or equal to it if `or_equal`.
__device__ int rank(const std::uint32_t* run, int size, std::uint32_t key, bool or_equal) {
  if (size == 0) return 0;
  const int half = size / 2;
  const bool is_behind = or_equal ? run[half] <= key : run[half] < key;
  return is_behind ? half + 1 + rank(run + half + 1, size - half - 1, key, or_equal)
                   : rank(run, half, key, or_equal);
}

__global__ void __launch_bounds__(kThreads)
    merge_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  __shared__ std::uint32_t keys[2][kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  std::uint32_t* from = keys[0];
  std::uint32_t* to = keys[1];
  from[t] = i < num_items ? d_in[i] : 0xffffffffu;
  for (int run = 1; run < kThreads; run *= 2) {
    __syncthreads();
    const std::uint32_t key = from[t];
    const int pair = t / (2 * run) * (2 * run);
    const bool is_right = t - pair >= run;
    const int other = is_right ? pair : pair + run;
    const int within = t - (is_right ? pair + run : pair);
    to[pair + within + rank(from + other, run, key, is_right)] = key;
    std::uint32_t* const swapped = from;
    from = to;
    to = swapped;
  }
  __syncthreads();
  if (i < num_items) d_out[i] = from[t];
}

}  // namespace

void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch&,
                cudaStream_t stream) {
  if (num_items == 0) return;
  const int tiles = ceil_div(num_items, kThreads);
  merge_kernel<<<tiles, kThreads, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
