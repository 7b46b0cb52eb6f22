// SPDX-License-Identifier: MIT
// How long do the copy in, the kernel and the copy out take? Four events around three stages.
// The longest stage limits what overlap can reach: the three together, the sum of all, only the
// longest one.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace lab {

StageTimes time_stages(const std::uint32_t* h_in, int num_items, int num_rounds,
                       std::uint32_t* h_out, int num_repeats, Scratch& scratch) {
  std::uint32_t* const d_in = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* const d_out = scratch.allocate<std::uint32_t>(num_items);
  const std::size_t size_bytes = num_items * sizeof(std::uint32_t);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t marks[4];
  for (cudaEvent_t& mark : marks) check(cudaEventCreate(&mark));

  StageTimes sum = {};
  for (int repeat = 0; repeat <= num_repeats; ++repeat) {
    check(cudaEventRecord(marks[0], stream));
    check(cudaMemcpyAsync(d_in, h_in, size_bytes, cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(marks[1], stream));
    launch_mix(d_in, num_items, num_rounds, d_out, stream);
    check(cudaEventRecord(marks[2], stream));
    check(cudaMemcpyAsync(h_out, d_out, size_bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaEventRecord(marks[3], stream));
    check(cudaEventSynchronize(marks[3]));  // the events are used again
    if (repeat == 0) continue;              // this time the kernel's code was loaded
    float elapsed_ms[3];
    for (int stage = 0; stage < 3; ++stage) {
      check(cudaEventElapsedTime(&elapsed_ms[stage], marks[stage], marks[stage + 1]));
    }
    sum.copy_in += elapsed_ms[0];
    sum.compute += elapsed_ms[1];
    sum.copy_out += elapsed_ms[2];
  }

  for (const cudaEvent_t mark : marks) check(cudaEventDestroy(mark));
  check(cudaStreamDestroy(stream));
  return {sum.copy_in / num_repeats, sum.compute / num_repeats, sum.copy_out / num_repeats};
}

}  // namespace lab
