// SPDX-License-Identifier: MIT
// The kernel of the starter, repaired: every thread of a block reaches every barrier.
// Repaired: walls stay to the end; one barrier where two branches had one each; whether the loop
// goes on is decided by all threads together, in the barrier that it needs anyway.
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kMaxRowLength = 1024;

// One block per row, one thread per cell. A label moves by one cell per round, until none moves.
__global__ void repaired_kernel(const int* d_cells, int row_length, int* d_labels,
                                int* d_num_runs) {
  __shared__ int labels[kMaxRowLength];
  __shared__ int num_runs;
  const int t = threadIdx.x;
  const int cell = blockIdx.x * row_length + t;
  const bool is_free = d_cells[cell] == 1;

  labels[t] = is_free ? t + 1 : 0;
  if (t == 0) num_runs = 0;
  __syncthreads();  // all labels are there

  int changed;
  do {
    const int before = labels[t];
    const bool has_neighbor = is_free && t + 1 < row_length;
    const int label = has_neighbor ? max(before, labels[t + 1]) : before;
    __syncthreads();  // all threads have read: now the labels may change
    changed = label != before;
    labels[t] = label;
    // All threads have written; and all learn whether any thread's label has changed.
  } while (__syncthreads_or(changed));

  d_labels[cell] = labels[t];
  if (is_free && labels[t] == t + 1) atomicAdd(&num_runs, 1);  // the last cell counts its run
  __syncthreads();                                             // all runs are counted
  if (t == 0) d_num_runs[blockIdx.x] = num_runs;
}

}  // namespace

void label_runs(const int* d_cells, int num_rows, int row_length, int* d_labels, int* d_num_runs,
                cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  if (row_length == 0) {      // and so is a block of 0 threads
    check(cudaMemsetAsync(d_num_runs, 0, num_rows * sizeof(int), stream));
    return;
  }
  repaired_kernel<<<num_rows, row_length, 0, stream>>>(d_cells, row_length, d_labels, d_num_runs);
  check_launch();
}

}  // namespace lab
