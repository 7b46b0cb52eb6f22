// SPDX-License-Identifier: MIT
// Message passing: the reader may see the flag (2) without the message (1).
// weak: 0 2
// model: allowed
#include "litmus.cuh"

__global__ void message_passing_relaxed(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  Word first(x[run.index * kApart]);
  Word second(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    first.store(1, cuda::memory_order_relaxed);   // the message
    second.store(1, cuda::memory_order_relaxed);  // the flag
    *result = 0;
  } else {
    const int flag = second.load(cuda::memory_order_relaxed);
    const int message = first.load(cuda::memory_order_relaxed);
    *result = 2 * flag + message;
  }
}

int main(int argc, char** argv) { return count_outcomes(message_passing_relaxed, argc, argv); }
