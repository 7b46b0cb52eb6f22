// SPDX-License-Identifier: MIT
// mutant of: 04_checked_launch
// mistake: the host sets byte after byte, and launches nothing
// expect: failed forbidden wrong_result
// message: kernels must do the work
// needs: budget
// A launch that cannot work is reported, with its name, and leaves nothing behind.
// lab::check_launch() is these three lines; every other rung calls it.
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
void checked_fill(int first, int num_items, int num_blocks, int threads_per_block, int shared_bytes,
                  int* d_out, cudaStream_t stream) {
  if (num_blocks < 1 || threads_per_block < 1 || threads_per_block > 1024) {
    throw CudaError(cudaErrorInvalidConfiguration);
  }
  if (shared_bytes > 48 * 1024) throw CudaError(cudaErrorInvalidValue);
  char* const d_bytes = reinterpret_cast<char*>(d_out);
  for (int i = 0; i < 4 * num_items; ++i) {
    check(cudaMemsetAsync(d_bytes + i, (first + i / 4) >> 8 * (i % 4) & 255, 1, stream));
  }
}

}  // namespace lab
