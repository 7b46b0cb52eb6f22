// SPDX-License-Identifier: MIT
// Message passing, the message a plain word: release and acquire order it, so it is no race.
// weak: 0 2
// model: forbidden
#include "litmus.cuh"

__global__ void message_passing_plain_release(int* x, int* y, int* results, int num_runs) {
  const Run run = this_run();
  if (run.index >= num_runs) return;
  int* message = &x[run.index * kApart];
  Word flag(y[run.index * kApart]);
  int* result = &results[2 * run.index + run.thread];
  if (run.thread == 0) {
    *message = 1;
    flag.store(1, cuda::memory_order_release);
    *result = 0;
  } else {
    const int seen = flag.load(cuda::memory_order_acquire);
    *result = 2 * seen + (seen == 1 ? *message : 0);
  }
}

int main(int argc, char** argv) {
  return count_outcomes(message_passing_plain_release, argc, argv);
}
