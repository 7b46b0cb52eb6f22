// SPDX-License-Identifier: MIT
// mutant of: 01_map_scan_scatter
// mistake: 15, the count is summed up by all threads without an atomic
// expect: failed race
// also: wrong_result
// line: 27
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void flag_kernel(const int* d_in, int num_items, Predicate keep, int* d_flags) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i < num_items) d_flags[i] = keep(d_in[i]) ? 1 : 0;
}

__global__ void scatter_kernel(const int* d_in, int num_items, const int* d_flags,
                               const int* d_places, int* d_out, int* d_count) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_items) return;
  if (d_flags[i] != 0) d_out[d_places[i]] = d_in[i];
  d_count[0] += d_flags[i];
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  if (num_items == 0) {
    check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
    return;
  }
  check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
  int* d_flags = scratch.allocate<int>(num_items);
  int* d_places = scratch.allocate<int>(num_items);
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);

  flag_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_flags);
  check_launch();
  exclusive_scan(d_flags, num_items, d_places, scratch, stream);
  scatter_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_flags, d_places,
                                                              d_out, d_count);
  check_launch();
}

}  // namespace lab
