// SPDX-License-Identifier: MIT
// Irregular work: breadth-first search with frontiers, sparse matrix times vector with a warp per
// row, union-find with compare-and-swap.
#include <climits>
#include <vector>

#include "check.h"

__global__ void bfs_kernel(const int* offsets, const int* edges, const int* frontier,
                           int frontier_size, int* next, int* next_size, int* level, int depth) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= frontier_size) return;
  const int node = frontier[t];
  for (int e = offsets[node]; e < offsets[node + 1]; ++e) {
    const int to = edges[e];
    if (atomicCAS(&level[to], -1, depth) == -1) next[atomicAdd(next_size, 1)] = to;
  }
}

__global__ void spmv_csr_warp(int rows, const int* offsets, const int* cols, const float* values,
                              const float* __restrict__ x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int i = __ldg(&offsets[row]) + lane; i < __ldg(offsets + row + 1); i += 32)
    sum += values[i] * __ldg(&x[cols[i]]);
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

__global__ void min_label(const int* offsets, const int* edges, int* label, int nodes,
                          int* changed) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  for (int e = offsets[node]; e < offsets[node + 1]; ++e)
    if (atomicMin(&label[edges[e]], label[node]) > label[node]) *changed = 1;
}

int main() {
  const int nodes = 90;  // a ring of 60, and one of 30
  std::vector<int> h_offsets{0}, h_edges;
  for (int i = 0; i < nodes; ++i) {
    const int base = i < 60 ? 0 : 60, size = i < 60 ? 60 : 30;
    h_edges.push_back(base + (i - base + 1) % size);
    h_edges.push_back(base + (i - base + size - 1) % size);
    h_offsets.push_back(h_edges.size());
  }
  int *offsets, *edges, *frontier[2], *sizes, *level;
  CHECK_CUDA(cudaMallocManaged(&offsets, h_offsets.size() * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&edges, h_edges.size() * sizeof(int)));
  for (int i = 0; i < 2; ++i) CHECK_CUDA(cudaMallocManaged(&frontier[i], nodes * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&sizes, 2 * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&level, nodes * sizeof(int)));
  std::copy(h_offsets.begin(), h_offsets.end(), offsets);
  std::copy(h_edges.begin(), h_edges.end(), edges);
  for (int i = 0; i < nodes; ++i) level[i] = -1;
  level[0] = frontier[0][0] = 0;
  for (int depth = 1, now = 0, size = 1; size > 0; ++depth, now = 1 - now, size = sizes[0]) {
    sizes[0] = 0;
    bfs_kernel<<<(size + 31) / 32, 32>>>(offsets, edges, frontier[now], size, frontier[1 - now],
                                         &sizes[0], level, depth);
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  for (int i = 0; i < nodes; ++i) EXPECT(level[i] == (i < 60 ? (i <= 30 ? i : 60 - i) : -1));

  for (int i = 0; i < nodes; ++i) level[i] = i;
  do {
    sizes[1] = 0;
    min_label<<<3, 32>>>(offsets, edges, level, nodes, &sizes[1]);
    CHECK_CUDA(cudaDeviceSynchronize());
  } while (sizes[1]);
  for (int i = 0; i < nodes; ++i) EXPECT(level[i] == (i < 60 ? 0 : 60));

  float *values, *x, *y;
  CHECK_CUDA(cudaMallocManaged(&values, h_edges.size() * sizeof(float)));
  CHECK_CUDA(cudaMallocManaged(&x, nodes * sizeof(float)));
  CHECK_CUDA(cudaMallocManaged(&y, nodes * sizeof(float)));
  for (size_t i = 0; i < h_edges.size(); ++i) values[i] = i % 2 ? 2 : 1;
  for (int i = 0; i < nodes; ++i) x[i] = i;
  spmv_csr_warp<<<(nodes * 32 + 127) / 128, 128>>>(nodes, offsets, edges, values, x, y);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 1; i < 59; ++i) EXPECT(y[i] == (i + 1) + 2 * (i - 1));
  for (void* p : {(void*)offsets, (void*)edges, (void*)frontier[0], (void*)frontier[1],
                  (void*)sizes, (void*)level, (void*)values, (void*)x, (void*)y})
    CHECK_CUDA(cudaFree(p));
  return 0;
}
