// SPDX-License-Identifier: MIT
// Store buffering with sequential consistency: one of the threads sees the other's store.
// weak: 0 0
// model: forbidden
#include "litmus.cuh"

__global__ void store_buffering_seq_cst(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  Word first(x[run.index * kApart]);
  Word second(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    first.store(1, cuda::memory_order_seq_cst);
    *result = second.load(cuda::memory_order_seq_cst);
  } else {
    second.store(1, cuda::memory_order_seq_cst);
    *result = first.load(cuda::memory_order_seq_cst);
  }
}

int main(int argc, char** argv) { return count_outcomes(store_buffering_seq_cst, argc, argv); }
