// SPDX-License-Identifier: MIT
// mutant of: 02_tile_sort
// mistake: every thread counts the keys of its tile that come before its own
// expect: failed budget
// also: slow
// message: share the work
// needs: budget
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

// Each thread counts the keys of the tile that come before its own.
__global__ void rank_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  __shared__ std::uint32_t tile[kSortTileItems];
  const int t = threadIdx.x;
  const int item = blockIdx.x * kSortTileItems + t;
  tile[t] = item < num_items ? d_in[item] : 0xffffffffu;
  __syncthreads();
  const std::uint32_t key = tile[t];
  int rank = 0;
  for (int i = 0; i < kSortTileItems; ++i) rank += tile[i] < key || (tile[i] == key && i < t);
  __shared__ std::uint32_t sorted[kSortTileItems];
  if (item < num_items) sorted[rank] = key;
  __syncthreads();
  if (item < num_items) d_out[item] = sorted[t];
}

}  // namespace

void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_items == 0) return;
  rank_kernel<<<ceil_div(num_items, kSortTileItems), kSortTileItems, 0, stream>>>(d_in, num_items,
                                                                                  d_out);
  check_launch();
}

}  // namespace lab
