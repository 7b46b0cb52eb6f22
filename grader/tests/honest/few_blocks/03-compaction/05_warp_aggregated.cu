// SPDX-License-Identifier: MIT
// style: five blocks, whose warps take row after row
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kNumBlocks = 5;
constexpr int kRows = 8;

__global__ void rows_kernel(const int* d_in, int num_items, Predicate keep, int* d_out,
                            int* d_count) {
  const int lane = threadIdx.x % 32;
  const long long step = 32LL * kRows * kNumBlocks * (kThreadsPerBlock / 32);
  const int warp = (blockIdx.x * kThreadsPerBlock + threadIdx.x) / 32;
  for (long long first = 32LL * kRows * warp; first < num_items; first += step) {
    int items[kRows];
    unsigned votes[kRows];
    int count = 0;
    for (int row = 0; row < kRows; ++row) {
      const long long item = first + 32 * row + lane;
      items[row] = item < num_items ? d_in[item] : 0;
      votes[row] = __ballot_sync(~0u, item < num_items && keep(items[row]));
      count += __popc(votes[row]);
    }
    if (count == 0) continue;
    int place = 0;
    if (lane == 0) place = atomicAdd(d_count, count);
    place = __shfl_sync(~0u, place, 0);
    for (int row = 0; row < kRows; ++row) {
      const int rank = __popc(votes[row] & ((1u << lane) - 1));
      if (votes[row] >> lane & 1) d_out[place + rank] = items[row];
      place += __popc(votes[row]);
    }
  }
}

}  // namespace

void compact_unordered(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                       Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
  if (num_items == 0) return;
  rows_kernel<<<kNumBlocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_out, d_count);
  check_launch();
}

}  // namespace lab
