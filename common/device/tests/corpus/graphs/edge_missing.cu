// SPDX-License-Identifier: MIT
// race: no edge leads from the kernel that writes to the one that reads.
// at: __global__ void add_one(int* items) { items[threadIdx.x] += 1; }
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = threadIdx.x; }
__global__ void add_one(int* items) { items[threadIdx.x] += 1; }

int main() {
  int *d_items, h_items[64];
  cudaMalloc(&d_items, sizeof h_items);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  void* arguments[] = {&d_items};
  cudaKernelNodeParams launch = {};
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(64);
  launch.kernelParams = arguments;
  cudaGraphNode_t first, second;
  launch.func = (void*)fill;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &launch);
  launch.func = (void*)add_one;
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &launch);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, nullptr);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 1 && h_items[63] == 64 ? "PASS" : "FAIL");
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaFree(d_items);
}
