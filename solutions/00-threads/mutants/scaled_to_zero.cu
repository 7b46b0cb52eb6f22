// SPDX-License-Identifier: MIT
// mutant of: 02_grid_stride
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void scale(const float* /*d_in*/, int num_items, float /*factor*/, int /*num_blocks*/,
           int /*threads_per_block*/, float* d_out, int* d_thread, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float) * num_items, stream));
  if (d_thread != nullptr) check(cudaMemsetAsync(d_thread, 0, sizeof(int) * num_items, stream));
}

}  // namespace lab
