// SPDX-License-Identifier: MIT
// More data than the device has memory: three buffers, filled, summed and emptied in turn.
// New: a stream per engine, and events that hand a buffer from one to the next.
#include <algorithm>

#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "streams.cuh"

namespace lab {
namespace {

constexpr int kNumBuffers = 3;

struct Buffer {
  std::uint32_t* d_words = nullptr;
  cudaEvent_t filled = nullptr;
  cudaEvent_t summed = nullptr;
  cudaEvent_t emptied = nullptr;
};

// What `later` gets from now on waits for what `earlier` has got so far.
void order(cudaStream_t earlier, cudaEvent_t event, cudaStream_t later) {
  check(cudaEventRecord(event, earlier));
  check(cudaStreamWaitEvent(later, event));
}

}  // namespace

void running_sums(const std::uint32_t* h_in, int num_items, int chunk_items, std::uint32_t* h_out,
                  Scratch& scratch, cudaStream_t stream) {
  todo("06_larger_than_memory: write the function, then delete this line");

  std::uint32_t* const d_state = scratch.allocate<std::uint32_t>(kStateWords);
  Buffer buffers[kNumBuffers];
  for (Buffer& buffer : buffers) {
    buffer.d_words = scratch.allocate<std::uint32_t>(chunk_items);
    for (cudaEvent_t* event : {&buffer.filled, &buffer.summed, &buffer.emptied}) {
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
  }
  cudaStream_t copies_in = nullptr;
  cudaStream_t copies_out = nullptr;
  check(cudaStreamCreateWithFlags(&copies_in, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&copies_out, cudaStreamNonBlocking));

  // TODO 1. What must d_state[0] be before the first chunk, and which stream sets it? What must the
  //         first copy wait for?
  for (int first = 0; first < num_items; first += chunk_items) {
    // TODO 2. Take the buffers in turn. Which event must copies_in wait for before it fills one?
    // TODO 3. Copy in, sums, copy out, each in its own stream. Which events order them?
    //         launch_running_sums() works in place.
    // TODO 4. Why do the sums of two chunks need no event between them?
  }

  // TODO 5. What must the caller's next work in `stream` wait for? Then destroy events and streams.
}

}  // namespace lab
