// SPDX-License-Identifier: MIT
// Without order there is nothing to scan: a warp counts what it keeps and draws that many places
// from one counter, with one atomic for all of its items.
// New: no shared memory, no barrier, no second launch. Limit: all warps queue at one address.
// Source: A. Adinets, "Optimized Filtering with Warp-Aggregated Atomics", NVIDIA blog, 2014.
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 16;  // a row: 32 neighbouring items, one per lane
constexpr int kItemsPerBlock = kThreadsPerBlock * kRowsPerWarp;

// Appends the kept items of d_in (num_items) to d_out, where d_count[0] says it ends.
__global__ void warp_aggregated_kernel(const int* d_in, int num_items, Predicate keep, int* d_out,
                                       int* d_count) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  const int first = blockIdx.x * kItemsPerBlock + warp_id * kRowsPerWarp * kWarpSize + lane_id;

  int items[kRowsPerWarp];
  unsigned votes[kRowsPerWarp];  // bit l: does lane l keep its item?
  int warp_count = 0;
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = first + row * kWarpSize;
    items[row] = i < num_items ? __ldcs(&d_in[i]) : 0;
    votes[row] = __ballot_sync(kFullWarp, i < num_items && keep(items[row]));
    warp_count += __popc(votes[row]);
  }
  if (warp_count == 0) return;  // the whole warp agrees: nothing to write

  int place = 0;
  if (lane_id == 0) place = atomicAdd(d_count, warp_count);
  place = __shfl_sync(kFullWarp, place, 0);  // lane 0 alone knows what was drawn
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (votes[row] >> lane_id & 1u) d_out[place + __popc(votes[row] & lanes_below)] = items[row];
    place += __popc(votes[row]);
  }
}

}  // namespace

void compact_unordered(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                       Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kItemsPerBlock);
  warp_aggregated_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_out,
                                                                      d_count);
  check_launch();
}

}  // namespace lab
