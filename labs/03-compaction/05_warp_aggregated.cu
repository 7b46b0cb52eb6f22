// SPDX-License-Identifier: MIT
// Without order there is nothing to scan: a warp that keeps items draws places from one counter.
// One atomic per item would be the queue of lab 01 again; a warp draws for all of its items.
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 16;  // a row: 32 neighbouring items, one per lane
constexpr int kItemsPerBlock = kThreadsPerBlock * kRowsPerWarp;

// Appends the kept items of d_in (num_items) to d_out, where d_count[0] says it ends.
__global__ void warp_aggregated_kernel(const int* d_in, int num_items, Predicate keep, int* d_out,
                                       int* d_count) {
  // TODO 1. Load the lane's items of all rows, and vote on each row. Keep items and votes in
  //         registers.
  // TODO 2. How many items does the warp keep? One lane adds that to d_count[0] with atomicAdd.
  //         What does atomicAdd return, and how do the other lanes get it?
  // TODO 3. Where does each kept item go?
  // TODO 4. What if the warp keeps nothing?
}

}  // namespace

void compact_unordered(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                       Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_warp_aggregated: write the kernel and its launch, then delete this line");

  // TODO 5. The counter holds garbage. What sets it to 0, on `stream`, in front of the kernel?
  const int num_blocks = ceil_div(num_items, kItemsPerBlock);  // TODO 6. And without items?
  warp_aggregated_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_out,
                                                                      d_count);
  check_launch();
}

}  // namespace lab
