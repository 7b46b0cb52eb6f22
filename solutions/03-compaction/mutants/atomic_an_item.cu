// SPDX-License-Identifier: MIT
// mutant of: 05_warp_aggregated
// mistake: one atomic an item: every kept item queues at the counter
// expect: failed budget
// needs: budget
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 16;
constexpr int kItemsPerBlock = kThreadsPerBlock * kRowsPerWarp;

__global__ void warp_aggregated_kernel(const int* d_in, int num_items, Predicate keep, int* d_out,
                                       int* d_count) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int first = blockIdx.x * kItemsPerBlock + warp_id * kRowsPerWarp * kWarpSize + lane_id;

  int items[kRowsPerWarp];
  unsigned votes[kRowsPerWarp];
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = first + row * kWarpSize;
    items[row] = i < num_items ? __ldcs(&d_in[i]) : 0;
    votes[row] = __ballot_sync(kFullWarp, i < num_items && keep(items[row]));
  }
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (votes[row] >> lane_id & 1u) d_out[atomicAdd(d_count, 1)] = items[row];
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
