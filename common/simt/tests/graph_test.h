// SPDX-License-Identifier: MIT
// A graph, two streams and data on the device, for the tests of graphs.
#pragma once

#include <vector>

#include "device_test.h"

namespace simt_test {
namespace {

constexpr int kItems = 32;

__global__ void add_kernel(int* data, int value) { data[threadIdx.x] += value; }
constexpr int kAddLine = __LINE__ - 1;
__global__ void multiply_kernel(int* data, int value) { data[threadIdx.x] *= value; }

class Graphs : public DeviceTest {
 protected:
  Graphs() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking);
    cudaEventCreate(&fork_);
    cudaEventCreate(&join_);
    cudaGraphCreate(&graph_, 0);
    cudaMalloc(&data_, kItems * sizeof(int));
    cudaMemset(data_, 0, kItems * sizeof(int));
    cudaDeviceSynchronize();
  }
  ~Graphs() override {
    for (cudaStream_t stream : {stream_, other_}) cudaStreamDestroy(stream);
    for (cudaEvent_t event : {fork_, join_}) cudaEventDestroy(event);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    cudaFree(data_);
  }

  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  }
  // The graph that the capture has made takes the place of the empty one.
  void end() {
    cudaGraphDestroy(graph_);
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
  }
  void launch(int times = 1) {
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph_), cudaSuccess);
    for (int i = 0; i < times; ++i) EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    cudaStreamSynchronize(stream_);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  }
  std::vector<int> values() {
    cudaDeviceSynchronize();
    std::vector<int> result(kItems);
    cudaMemcpy(result.data(), data_, kItems * sizeof(int), cudaMemcpyDeviceToHost);
    return result;
  }
  void expect_error(cudaError_t returned, cudaError_t expected) {
    EXPECT_EQ(returned, expected);
    EXPECT_EQ(cudaGetLastError(), expected);
  }
  cudaGraphNode_t add_kernel_node(void* function, int value,
                                  std::vector<cudaGraphNode_t> behind = {}) {
    void* arguments[] = {&data_, &value};
    cudaKernelNodeParams parameters = {};
    parameters.func = function;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kItems);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph_, behind.data(), behind.size(), &parameters),
              cudaSuccess);
    return node;
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  int* data_ = nullptr;
};

}  // namespace
}  // namespace simt_test
