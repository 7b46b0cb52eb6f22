// SPDX-License-Identifier: MIT
// Store buffering: release and acquire do not order a store before a later load.
// weak: 0 0
// model: allowed
#include "litmus.cuh"

__global__ void store_buffering_acquire_release(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  Word first(x[run.index * kApart]);
  Word second(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    first.store(1, cuda::memory_order_release);
    *result = second.load(cuda::memory_order_acquire);
  } else {
    second.store(1, cuda::memory_order_release);
    *result = first.load(cuda::memory_order_acquire);
  }
}

int main(int argc, char** argv) {
  return count_outcomes(store_buffering_acquire_release, argc, argv);
}
