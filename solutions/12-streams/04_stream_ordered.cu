// SPDX-License-Identifier: MIT
// A temporary array per batch, allocated and freed in the order of the stream.
// New: cudaMalloc and cudaFree wait for the device; cudaMallocAsync and cudaFreeAsync are work in a
// stream. The next batch gets the memory that this one has freed, and the host never waits.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace lab {

void reverse_batches(const std::uint32_t* d_in, const int* h_sizes, int num_batches, int num_rounds,
                     std::uint32_t* d_out, cudaStream_t stream) {
  for (int batch = 0; batch < num_batches; ++batch) {
    const int count = h_sizes[batch];
    if (count == 0) continue;
    std::uint32_t* d_mixed = nullptr;
    check(cudaMallocAsync(&d_mixed, count * sizeof(std::uint32_t), stream));
    launch_mix(d_in, count, num_rounds, d_mixed, stream);
    launch_reverse(d_mixed, count, d_out, stream);
    check(cudaFreeAsync(d_mixed, stream));  // after the kernels that use it
    d_in += count;
    d_out += count;
  }
}

}  // namespace lab
