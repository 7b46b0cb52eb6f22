// SPDX-License-Identifier: MIT
// Three steps over the whole array: a flag per item, an exclusive scan of the flags, a scatter.
// An item's entry in the scan is the number of kept items before it, and so its place in d_out.
// Limit: 38 bytes move an item if half are kept, where 4 read and 2 written would do.
// Source: G. E. Blelloch, "Prefix Sums and Their Applications", 1990.
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// d_flags[i] = 1 if item i is kept, else 0; d_in, d_flags (num_items).
__global__ void flag_kernel(const int* d_in, int num_items, Predicate keep, int* d_flags) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i < num_items) d_flags[i] = keep(d_in[i]) ? 1 : 0;
}

// Moves the flagged items of d_in to their places; d_in, d_flags, d_places (num_items).
__global__ void scatter_kernel(const int* d_in, int num_items, const int* d_flags,
                               const int* d_places, int* d_out, int* d_count) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_items) return;
  if (d_flags[i] != 0) d_out[d_places[i]] = d_in[i];
  // Kept before the last item, and the last item itself: an exclusive scan ends one item early.
  if (i == num_items - 1) d_count[0] = d_places[i] + d_flags[i];
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  if (num_items == 0) {  // there is no last item to count up to
    check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
    return;
  }
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
