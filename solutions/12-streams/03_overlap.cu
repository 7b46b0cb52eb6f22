// SPDX-License-Identifier: MIT
// Chunks in several streams: one is copied in while another is computed and a third is copied out.
// New: the host waits for nothing. Events order the streams after the caller's stream, and the
// caller's stream after them. Limit: the longest of the three engines, and a chunk at either end.
#include <algorithm>

#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace lab {
namespace {

constexpr int kNumStreams = 3;  // as many as there are engines

}  // namespace

void mix_overlapped(const std::uint32_t* h_in, int num_items, int num_rounds, int chunk_items,
                    std::uint32_t* h_out, Scratch& scratch, cudaStream_t stream) {
  std::uint32_t* const d_words = scratch.allocate<std::uint32_t>(num_items);
  cudaEvent_t begin = nullptr;
  check(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
  check(cudaEventRecord(begin, stream));
  cudaStream_t streams[kNumStreams];
  for (cudaStream_t& own : streams) {
    check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    check(cudaStreamWaitEvent(own, begin));  // the caller's earlier work comes first
  }

  int turn = 0;
  for (int first = 0; first < num_items; first += chunk_items) {
    const int count = std::min(chunk_items, num_items - first);
    const std::size_t size_bytes = count * sizeof(std::uint32_t);
    const cudaStream_t own = streams[turn++ % kNumStreams];
    std::uint32_t* const d_chunk = d_words + first;
    check(cudaMemcpyAsync(d_chunk, h_in + first, size_bytes, cudaMemcpyHostToDevice, own));
    launch_mix(d_chunk, count, num_rounds, d_chunk, own);
    check(cudaMemcpyAsync(h_out + first, d_chunk, size_bytes, cudaMemcpyDeviceToHost, own));
  }

  for (const cudaStream_t own : streams) {
    cudaEvent_t end = nullptr;
    check(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
    check(cudaEventRecord(end, own));
    check(cudaStreamWaitEvent(stream, end));  // the caller's later work comes after this
    check(cudaEventDestroy(end));
    check(cudaStreamDestroy(own));  // once its work is done
  }
  check(cudaEventDestroy(begin));
}

}  // namespace lab
