// SPDX-License-Identifier: MIT
// A cooperative launch whose blocks meet between the steps of a Jacobi iteration.
#include <cooperative_groups.h>

#include <cmath>
#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void jacobi(float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size())
      b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    grid.sync();
    float* t = a;
    a = b;
    b = t;
  }
}

int main() {
  const int n = 500, steps = 10;
  float *a, *b, reference[2][n];
  CHECK_CUDA(cudaMallocManaged(&a, n * sizeof(float)));
  CHECK_CUDA(cudaMallocManaged(&b, n * sizeof(float)));
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = reference[0][i] = reference[1][i] = i % 10 == 0 ? 64.0f : 0.0f;
  int supported = 0, blocks_per_sm = 0, block_size = 64, count = n, num_steps = steps;
  CHECK_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(supported == 1);
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, jacobi, block_size, 0));
  EXPECT(blocks_per_sm > 0);
  void* args[] = {&a, &b, &count, &num_steps};
  CHECK_CUDA(cudaLaunchCooperativeKernel((void*)jacobi, dim3(4), dim3(block_size), args, 0, 0));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int step = 0; step < steps; ++step)
    for (int i = 1; i < n - 1; ++i)
      reference[(step + 1) % 2][i] =
          0.5f * (reference[step % 2][i - 1] + reference[step % 2][i + 1]);
  for (int i = 0; i < n; ++i) EXPECT((steps % 2 ? b : a)[i] == reference[steps % 2][i]);
  EXPECT(cudaLaunchCooperativeKernel((void*)jacobi, dim3(100000), dim3(64), args) ==
         cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  cudaFree(a);
  cudaFree(b);
  return 0;
}
