// SPDX-License-Identifier: MIT
// Pageable arrays, chunk by chunk through pinned memory.
// New: the host fills one staging buffer while the device works on others.
#include <algorithm>
#include <cstring>

#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "streams.cuh"

namespace lab {
namespace {

constexpr int kNumStages = 3;

// A pinned buffer, its place on the device, and the chunk that is on its way through both.
class Stage {
 public:
  Stage(int chunk_items, Scratch& scratch)
      : d_words_(scratch.allocate<std::uint32_t>(chunk_items)) {
    // TODO 1. Allocate chunk_items words of pinned memory for h_words_, and make stream_.
  }
  ~Stage() {  // must not throw: no check() here
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
    // TODO 2. Copy from h_in to h_words_: is that the host's work or the device's? Then copy to the
    //         device, mix in place, and copy back to h_words_. None of these three may wait.
  }
  void finish() {
    if (size_bytes_ == 0) return;  // nothing is on its way
    // TODO 3. When is the result in h_words_? Then the host copies it to h_out_.
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
  todo("02_pinned: write the function, then delete this line");

  Stage stages[kNumStages] = {
      {chunk_items, scratch}, {chunk_items, scratch}, {chunk_items, scratch}};
  for (int first = 0; first < num_items; first += chunk_items) {
    // TODO 4. Give the chunks to the stages in turn: std::min(chunk_items, num_items - first) items
    //         each. What must happen before a stage begins its next chunk?
  }
  // TODO 5. Which chunks are still on their way here?
}

}  // namespace lab
