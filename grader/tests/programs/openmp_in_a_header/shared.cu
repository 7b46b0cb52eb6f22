// SPDX-License-Identifier: MIT
// A header may include OpenMP.
#include <cstdio>
#include "threads.h"
__global__ void k() {}
int main() {
  k<<<1, 1>>>();
  std::printf("%d of %d\n", omp_get_thread_num(), omp_get_num_threads());
}
