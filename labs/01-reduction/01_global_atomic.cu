// SPDX-License-Identifier: MIT
// One thread per item, one atomicAdd per item.
// Right for every length, and slow: measure it, then spend the rest of the lab doing better.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Adds d_in (num_items) to d_out (1); one thread per item.
__global__ void global_atomic_kernel(const float* d_in, int num_items, float* d_out) {
  // TODO 1. Which item is this thread's? Its index follows from blockIdx.x, threadIdx.x and
  //         kThreadsPerBlock.
  // TODO 2. The last block may have more threads than there are items left. What must those do?
  // TODO 3. Add the item to d_out[0] with atomicAdd. Into which three steps does `d_out[0] += item`
  //         divide, and what goes wrong when two threads do them at the same time?
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  todo("01_global_atomic: write the kernel and its launch, then delete this line");

  // TODO 4. d_out[0] holds garbage. What sets it to 0, on `stream`, before the first atomicAdd?
  // TODO 5. How many blocks cover num_items items? What if that is none?
  const int num_blocks = 1;
  global_atomic_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();  // a launch returns nothing: check whether it started
}

}  // namespace lab
