// SPDX-License-Identifier: MIT
// How long does a kernel take? Two events around many launches, and a division.
// The kernel is given. A launch returns at once, so a clock of the host would measure the host.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// One thread of each launch counts it: launches of one stream run one after the other.
__global__ void halve_kernel(float* d_items, int num_items, int* d_num_runs) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item == 0) d_num_runs[0] += 1;
  if (item < num_items) d_items[item] = 0.5f * item;
}

}  // namespace

float time_launch(float* d_items, int num_items, int num_launches, int* d_num_runs) {
  todo("07_timed_launch: time the launches, then delete this line");

  // TODO 1. Create two events, a cudaEvent_t each: cudaEventCreate. Destroy them at the end.
  // TODO 2. The first launch of a kernel takes longer: the device has to load its code. Which
  //         launch should not count, and how do you leave it out?
  // TODO 3. Record an event, launch num_launches times, record the other one: cudaEventRecord. An
  //         event is a mark in the stream. When does the device come to it?
  // TODO 4. cudaEventElapsedTime gives the milliseconds between two events. What must have happened
  //         before you may ask, and which call waits for that?
  // TODO 5. What does the function return: the time of all launches, or of one?
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  halve_kernel<<<num_blocks, kThreadsPerBlock>>>(d_items, num_items, d_num_runs);
  check_launch();
  return 0;
}

}  // namespace lab
