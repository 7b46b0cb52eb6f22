// SPDX-License-Identifier: MIT
// More data than the device has memory: three buffers, filled, summed and emptied in turn.
// New: a stream per engine, and events that hand a buffer from one to the next. The sums need each
// other, so they run in one stream; nothing else keeps their order. Limit: the longer of the
// copies.
#include <algorithm>

#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
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

  check(cudaMemsetAsync(d_state, 0, sizeof *d_state, stream));
  order(stream, buffers[0].summed, copies_in);  // the caller's earlier work comes first
  int turn = 0;
  for (int first = 0; first < num_items; first += chunk_items) {
    const int count = std::min(chunk_items, num_items - first);
    const std::size_t size_bytes = count * sizeof(std::uint32_t);
    Buffer& buffer = buffers[turn++ % kNumBuffers];
    // The buffer's last chunk must have left it. An event that was never recorded is no obstacle.
    check(cudaStreamWaitEvent(copies_in, buffer.emptied));
    check(cudaMemcpyAsync(buffer.d_words, h_in + first, size_bytes, cudaMemcpyHostToDevice,
                          copies_in));
    order(copies_in, buffer.filled, stream);
    launch_running_sums(buffer.d_words, count, d_state, buffer.d_words, stream);
    order(stream, buffer.summed, copies_out);
    check(cudaMemcpyAsync(h_out + first, buffer.d_words, size_bytes, cudaMemcpyDeviceToHost,
                          copies_out));
    check(cudaEventRecord(buffer.emptied, copies_out));
  }

  order(copies_out, buffers[0].emptied, stream);  // the caller's later work comes after the copies
  for (const Buffer& buffer : buffers) {
    for (const cudaEvent_t event : {buffer.filled, buffer.summed, buffer.emptied}) {
      check(cudaEventDestroy(event));
    }
  }
  check(cudaStreamDestroy(copies_in));
  check(cudaStreamDestroy(copies_out));
}

}  // namespace lab
