// SPDX-License-Identifier: MIT
// mutant of: 06_barrier
// mistake: no barrier, since one thread labels a row alone
// expect: failed budget
// message: share the work
// needs: budget
// The kernel of the starter, repaired: every thread of a block reaches every barrier.
// Repaired: walls stay to the end; one barrier where two branches had one each; whether the loop
// goes on is decided by all threads together, in the barrier that it needs anyway.
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 32;

__global__ void serial_kernel(const int* d_cells, int num_rows, int row_length, int* d_labels,
                              int* d_num_runs) {
  const int row = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (row >= num_rows) return;
  int last = 0;
  int num_runs = 0;
  for (int i = row_length - 1; i >= 0; --i) {
    const int cell = row * row_length + i;
    if (d_cells[cell] == 0) {
      last = 0;
    } else if (last == 0) {
      last = i + 1;
      ++num_runs;
    }
    d_labels[cell] = last;
  }
  d_num_runs[row] = num_runs;
}

}  // namespace

void label_runs(const int* d_cells, int num_rows, int row_length, int* d_labels, int* d_num_runs,
                cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  if (row_length == 0) {      // and so is a block of 0 threads
    check(cudaMemsetAsync(d_num_runs, 0, num_rows * sizeof(int), stream));
    return;
  }
  const int num_blocks = (num_rows + kThreadsPerBlock - 1) / kThreadsPerBlock;
  serial_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_cells, num_rows, row_length,
                                                             d_labels, d_num_runs);
  check_launch();
}

}  // namespace lab
