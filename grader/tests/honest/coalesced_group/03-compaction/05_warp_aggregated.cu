// SPDX-License-Identifier: MIT
// style: coalesced_threads(): the lanes that keep something draw places as a group
#include <cooperative_groups.h>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

__device__ int draw(int* d_counter) {
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(d_counter, static_cast<int>(active.size()));
  return active.shfl(first, 0) + static_cast<int>(active.thread_rank());
}

__global__ void filter(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < num_items; i += stride) {
    if (const int item = d_in[i]; keep(item)) d_out[draw(d_count)] = item;
  }
}

}  // namespace

void compact_unordered(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                       Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_count, 0, sizeof *d_count, stream));
  if (num_items == 0) return;
  const int most = 8 * num_multiprocessors();
  const int blocks = ceil_div(num_items, kThreads) < most ? ceil_div(num_items, kThreads) : most;
  filter<<<blocks, kThreads, 0, stream>>>(d_in, num_items, keep, d_out, d_count);
  check_launch();
}

}  // namespace lab
