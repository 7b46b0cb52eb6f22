// SPDX-License-Identifier: MIT
// Store buffering: each thread may read before the other's store arrives.
// weak: 0 0
// model: allowed
#include "litmus.cuh"

__global__ void store_buffering_relaxed(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  Word first(x[run.index * kApart]);
  Word second(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    first.store(1, cuda::memory_order_relaxed);
    *result = second.load(cuda::memory_order_relaxed);
  } else {
    second.store(1, cuda::memory_order_relaxed);
    *result = first.load(cuda::memory_order_relaxed);
  }
}

int main(int argc, char** argv) { return count_outcomes(store_buffering_relaxed, argc, argv); }
