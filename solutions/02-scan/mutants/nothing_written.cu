// SPDX-License-Identifier: MIT
// mutant of: 02_hillis_steele
// mistake: trivial: the output is left alone
// expect: failed output_unwritten
// message: no item is ever written
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {

void exclusive_scan(const int* /*d_in*/, int /*num_items*/, int* /*d_out*/, Scratch& /*scratch*/,
                    cudaStream_t /*stream*/) {}

}  // namespace lab
