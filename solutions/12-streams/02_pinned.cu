// SPDX-License-Identifier: MIT
// Pageable arrays, chunk by chunk through pinned memory.
// New: a copy from or to pinned memory runs while the host goes on. So the host carries one chunk
// to or from its staging buffer while the device has the others. A buffer is the host's again when
// its stream is done.
#include <algorithm>
#include <cstring>

#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace lab {
namespace {

constexpr int kNumStages = 3;

// A pinned buffer, its place on the device, and the chunk that is on its way through both.
class Stage {
 public:
  Stage(int chunk_items, Scratch& scratch)
      : d_words_(scratch.allocate<std::uint32_t>(chunk_items)) {
    check(cudaMallocHost(&h_words_, chunk_items * sizeof(std::uint32_t)));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Stage() {
    cudaStreamDestroy(stream_);
    cudaFreeHost(h_words_);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Copies `count` words from pageable memory, and sends them through the device. Its result goes
  // to h_out when the stage is finished.
  void begin(const std::uint32_t* h_in, int count, int num_rounds, std::uint32_t* h_out) {
    h_out_ = h_out;
    size_bytes_ = count * sizeof(std::uint32_t);
    std::memcpy(h_words_, h_in, size_bytes_);
    check(cudaMemcpyAsync(d_words_, h_words_, size_bytes_, cudaMemcpyHostToDevice, stream_));
    launch_mix(d_words_, count, num_rounds, d_words_, stream_);
    check(cudaMemcpyAsync(h_words_, d_words_, size_bytes_, cudaMemcpyDeviceToHost, stream_));
  }
  void finish() {
    if (size_bytes_ == 0) return;  // nothing is on its way
    check(cudaStreamSynchronize(stream_));
    std::memcpy(h_out_, h_words_, size_bytes_);
    size_bytes_ = 0;
  }

 private:
  std::uint32_t* d_words_;
  std::uint32_t* h_words_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::uint32_t* h_out_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace

void mix_pageable(const std::uint32_t* h_in, int num_items, int num_rounds, int chunk_items,
                  std::uint32_t* h_out, Scratch& scratch) {
  Stage stages[kNumStages] = {
      {chunk_items, scratch}, {chunk_items, scratch}, {chunk_items, scratch}};
  int turn = 0;
  for (int first = 0; first < num_items; first += chunk_items) {
    Stage& stage = stages[turn++ % kNumStages];
    stage.finish();  // its buffer still has the chunk of kNumStages turns ago
    stage.begin(h_in + first, std::min(chunk_items, num_items - first), num_rounds, h_out + first);
  }
  for (Stage& stage : stages) stage.finish();
}

}  // namespace lab
