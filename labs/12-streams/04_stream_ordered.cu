// SPDX-License-Identifier: MIT
// A temporary array per batch, allocated and freed in the order of the stream.
// New: memory comes and goes without a wait of the host, and one batch's is used by the next.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "streams.cuh"

namespace lab {

void reverse_batches(const std::uint32_t* d_in, const int* h_sizes, int num_batches, int num_rounds,
                     std::uint32_t* d_out, cudaStream_t stream) {
  todo("04_stream_ordered: write the function, then delete this line");

  for (int batch = 0; batch < num_batches; ++batch) {
    const int count = h_sizes[batch];
    // TODO 1. launch_reverse() cannot work in place. Allocate an array for this batch, as work in
    //         `stream`. What if the batch is empty?
    // TODO 2. launch_mix() into it, launch_reverse() from it to d_out.
    // TODO 3. Free it, as work in `stream`. Why may the host do so before the kernels have run?
    // TODO 4. Where do the next batch's items begin?
  }
}

}  // namespace lab
