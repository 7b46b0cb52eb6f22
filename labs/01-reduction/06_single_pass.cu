// SPDX-License-Identifier: MIT
// One launch that keeps the memory busy: 16-byte loads, several in flight per thread. The block
// that finishes last adds the blocks' sums.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // float4 loads in flight per thread
constexpr int kItemsPerTile = kThreadsPerBlock * kVectorsInFlight * 4;

// Returns the block's sum in thread 0. All threads must call.
__device__ float block_sum(float value) {
  // TODO 1. As in your 05. One kernel calls it twice: what must be between the calls?
  return value;
}

// Returns the sum of this thread's share of d_in (num_items).
__device__ float thread_sum(const float* d_in, int num_items) {
  // TODO 2. Read d_in as float4: one load, 16 bytes per lane. What does the contract say about
  //         d_in that allows this?
  // TODO 3. Load kVectorsInFlight vectors before you use the first. Why does adding each into the
  //         same register undo the gain?
  // TODO 4. The last tile is partial, and the last 0 to 3 items fill no vector. Which add them?
  return 0.0f;
}

// Writes the sum of d_in (num_items) to d_out[0]; d_block_sums (gridDim.x) holds one sum per block.
__global__ void single_pass_kernel(const float* d_in, int num_items, float* d_block_sums,
                                   float* d_out) {
  const float sum = block_sum(thread_sum(d_in, num_items));
  // TODO 5. Count the blocks that are done in a __device__ variable outside the kernel: it is 0 at
  //         the program's start and outlives a launch. Thread 0 writes the block's sum, then draws
  //         a ticket from the counter. Which ticket says "you are the last"?
  // TODO 6. Other blocks' sums were written on other multiprocessors. Which function do you need
  //         between the sum and the ticket, and again between the ticket and the reads of all sums?
  // TODO 7. The whole last block adds d_block_sums. Is the order the same in every run?
  // TODO 8. The next call needs the counter at 0 again. Look up atomicInc.
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("06_single_pass: write the kernel and its one launch, then delete this line");

  const int most_blocks = max_resident_blocks(single_pass_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsPerTile), 1, most_blocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);
  single_pass_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums,
                                                                  d_out);
  check_launch();
}

}  // namespace lab
