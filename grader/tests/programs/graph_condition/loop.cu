// SPDX-License-Identifier: MIT
// A kernel sets the condition of a graph.
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0);
}
int main() {
  nvtxRangePush("main");
  int *d_left, left = 4;
  cudaMalloc(&d_left, sizeof left);
  cudaMemcpy(d_left, &left, sizeof left, cudaMemcpyHostToDevice);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
  void* arguments[] = {&handle, &d_left};
  cudaKernelNodeParams body = {};
  body.func = (void*)count_down;
  body.gridDim = body.blockDim = 1;
  body.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, loop.conditional.phGraph_out[0], nullptr, 0, &body);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 2; ++i) {
    cudaGraphLaunch(executable, 0);
    cudaMemcpy(&left, d_left, sizeof left, cudaMemcpyDeviceToHost);
    std::printf("%d\n", left);
  }
  cudaFree(d_left);
  nvtxRangePop();
}
