// SPDX-License-Identifier: MIT
// Load buffering: each thread may read what the other stores later.
// weak: 1 1
// model: allowed
#include "litmus.cuh"

__global__ void load_buffering_relaxed(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  Word first(x[run.index * kApart]);
  Word second(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    *result = first.load(cuda::memory_order_relaxed);
    second.store(1, cuda::memory_order_relaxed);
  } else {
    *result = second.load(cuda::memory_order_relaxed);
    first.store(1, cuda::memory_order_relaxed);
  }
}

int main(int argc, char** argv) { return count_outcomes(load_buffering_relaxed, argc, argv); }
