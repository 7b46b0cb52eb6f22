// SPDX-License-Identifier: MIT
// Three steps over the whole array: a flag per item, an exclusive scan of the flags, a scatter.
// The scan is given: provided_scan.cuh. Find out why these three steps are a compaction.
#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// d_flags[i] = 1 if item i is kept, else 0; d_in, d_flags (num_items).
__global__ void flag_kernel(const int* d_in, int num_items, Predicate keep, int* d_flags) {
  // TODO 1. One thread per item. `keep(item)` is the predicate; it works on the device too.
}

// Moves the flagged items of d_in to their places; d_in, d_flags, d_places (num_items).
__global__ void scatter_kernel(const int* d_in, int num_items, const int* d_flags,
                               const int* d_places, int* d_out, int* d_count) {
  // TODO 2. Write down eight items, their flags, and the exclusive scan of the flags. What does the
  //         scan's entry say about an item that is kept? And about one that is not?
  // TODO 3. Which threads write to d_out, and where?
  // TODO 4. How many items are kept? The last entry of an exclusive scan is not quite it. What is
  //         missing, and which thread has both parts at hand?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("01_map_scan_scatter: write the two kernels and their launches, then delete this line");

  // TODO 5. And without items, is there a last one? d_count must be written all the same.
  int* d_flags = scratch.allocate<int>(num_items);
  int* d_places = scratch.allocate<int>(num_items);
  const int num_blocks = 1;  // TODO 6. How many blocks cover all items?

  flag_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_flags);
  check_launch();
  // TODO 7. Call exclusive_scan() of provided_scan.cuh. Why need you not wait before and after it?
  scatter_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_flags, d_places,
                                                              d_out, d_count);
  check_launch();
}

}  // namespace lab
