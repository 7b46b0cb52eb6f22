// SPDX-License-Identifier: MIT
// One thread per output: each adds all items before its own.
// Right for every length. Count its additions before you run it on a million items.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Writes the exclusive scan of d_in (num_items) to d_out (num_items); one thread per item.
__global__ void one_thread_per_output_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  // TODO 1. Which output is this thread's? What must the threads past the end do?
  // TODO 2. Add the items before it. Is the item itself one of them?
  // TODO 3. How many additions are that for thread 0, and for the last one? How long does its warp
  //         take, and how long do all threads together?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  todo("01_one_thread_per_output: write the kernel and its launch, then delete this line");

  // TODO 4. How many blocks cover num_items items? What if that is none?
  const int num_blocks = 1;
  one_thread_per_output_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
