// SPDX-License-Identifier: MIT
// mutant of: 06_decoupled_look_back
// mistake: trivial: a copy of the input
// expect: failed wrong_result
// message: copy of the input
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(int), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace lab
