// SPDX-License-Identifier: MIT
// The contract of lab 12-streams. Each rung defines one of the functions below. The kernels are
// given: given_kernels.cuh launches them. Not edited by students.
//
// What holds for all of them:
//   h_...        host memory: pinned, unless a function says pageable
//   d_...        device memory, 256-byte aligned
//   arrays       inputs are read only, outputs are overwritten, none overlaps another; an array
//                without items may be null
//   num_items    in [0, 2^28]
//   chunk_items  the items of a chunk, which are copied and computed together, in [1, 2^20]; the
//                last chunk may have fewer
//   stream       the caller's. The work of the function comes after the caller's earlier work
//                there and before its later work, and the host does not wait. A function without
//                one returns when its results are there
//   kernels      read and write device memory only
//   scratch      device memory for temporaries, with undefined contents: as much as the function
//                says, and no more; allocate<T>(count) throws std::bad_alloc when it is used up
//   errors       lab::CudaError if a launch or another CUDA call fails
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lab/scratch.cuh"

namespace lab {

// What a word becomes in `num_rounds` rounds. More rounds make a kernel longer.
__device__ inline std::uint32_t mix(std::uint32_t word, int num_rounds) {
  for (int round = 0; round < num_rounds; ++round) word = (word ^ (word >> 15)) * 0x2c1b3c6du + 1;
  return word;
}

// The mean times of three stages, in milliseconds.
struct StageTimes {
  float copy_in;
  float compute;
  float copy_out;
};

// 01_events: h_out[i] = mix(h_in[i], num_rounds), by one copy to the device, one launch and one
// copy back, in one stream. All three run num_repeats + 1 times, one after another; the first time
// warms up. Returns the mean time of each stage over the other times, by the clock of the device.
//   h_in, h_out (num_items), num_items at least 1
//   num_repeats [1, 100]
//   scratch     8 bytes per item, and 512
StageTimes time_stages(const std::uint32_t* h_in, int num_items, int num_rounds,
                       std::uint32_t* h_out, int num_repeats, Scratch& scratch);

// 02_pinned: h_out[i] = mix(h_in[i], num_rounds) for arrays in pageable memory. Every copy between
// host and device uses pinned memory of the function's own, at most 4 chunks in all, which is free
// again when it returns.
//   h_in, h_out (num_items)  pageable
//   scratch     16 bytes per item of a chunk, and 1024
void mix_pageable(const std::uint32_t* h_in, int num_items, int num_rounds, int chunk_items,
                  std::uint32_t* h_out, Scratch& scratch);

// 03_overlap: h_out[i] = mix(h_in[i], num_rounds). While one chunk is copied to the device, another
// one is computed, and a third one is copied back.
//   h_in, h_out (num_items)
//   scratch     4 bytes per item, and 256
void mix_overlapped(const std::uint32_t* h_in, int num_items, int num_rounds, int chunk_items,
                    std::uint32_t* h_out, Scratch& scratch, cudaStream_t stream);

// 04_stream_ordered: the items come in batches, one after another in d_in. In each batch, the order
// of the items is reversed and each is mixed: of a batch of n items, which begins at `first`,
//   d_out[first + i] = mix(d_in[first + n - 1 - i], num_rounds).
// The function allocates the device memory that a batch needs, and holds no more of it at any time
// than the largest batch needs: 4 bytes per item.
//   d_in, d_out (all batches together)
//   h_sizes     (num_batches)  pageable: the items of each batch, 0 to 2^24
void reverse_batches(const std::uint32_t* d_in, const int* h_sizes, int num_batches, int num_rounds,
                     std::uint32_t* d_out, cudaStream_t stream);

// 05_graph: copies d_in to d_out, and then makes num_steps steps there: launch_step() of
// given_kernels.cuh, with h_keys[step].
//   d_in, d_out (num_items)  num_items at least 1
//   h_keys      (num_steps)  pageable, num_steps in [0, 2^20]
//   scratch     4 bytes per item, and 256
void mix_steps(const std::uint32_t* d_in, int num_items, const std::uint32_t* h_keys, int num_steps,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream);

// 06_larger_than_memory: h_out[i] = h_in[0] + ... + h_in[i], modulo 2^32. All items together may
// take more memory than the device has.
//   h_in, h_out (num_items)
//   scratch     12 bytes per item of a chunk, and kStateWords words, and 1024
void running_sums(const std::uint32_t* h_in, int num_items, int chunk_items, std::uint32_t* h_out,
                  Scratch& scratch, cudaStream_t stream);

inline constexpr int kMaxChunkItems = 1 << 20;
inline constexpr int kItemsPerTile = 1024;                              // of launch_running_sums()
inline constexpr int kStateWords = 1 + kMaxChunkItems / kItemsPerTile;  // what it keeps

}  // namespace lab
