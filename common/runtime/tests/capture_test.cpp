// SPDX-License-Identifier: MIT
// Graphs, captured and built by hand.
#include "runtime_test.h"

namespace runtime_test {
namespace {

class Graphs : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    cudaStreamCreate(&stream_);
    cudaMalloc(reinterpret_cast<void**>(&d_), 64);
    cudaMemset(d_, 0, 64);
    cudaDeviceSynchronize();
  }
  void TearDown() override { cudaStreamDestroy(stream_); }
  int first() const {
    int value = -1;
    cudaMemcpy(&value, d_, 4, cudaMemcpyDeviceToHost);
    return value;
  }
  cudaStream_t stream_ = nullptr;
  int* d_ = nullptr;
};

TEST_F(Graphs, RepeatWhatAStreamHasCaptured) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  launch(kAdd, 1, 1, d_, 2, stream_);
  launch(kAdd, 1, 1, d_, 3, stream_);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(first(), 0);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  cudaStreamSynchronize(stream_);
  EXPECT_EQ(first(), 15);
  EXPECT_TRUE(take_findings().empty());
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// CUDA Runtime API, cudaGraphLaunch: each launch is ordered behind any previous launches of the
// same executable graph.
TEST_F(Graphs, WaitForTheirLastLaunchInAnyStream) {
  cudaStream_t others[2];
  for (cudaStream_t& other : others) cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  launch(kAdd, 1, 1, d_, 2, stream_);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  cudaGraphExec_t executables[2];
  for (cudaGraphExec_t& executable : executables) cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executables[0], others[0]);
  cudaGraphLaunch(executables[0], others[1]);
  EXPECT_TRUE(take_findings().empty());
  cudaGraphLaunch(executables[1], others[0]);
  EXPECT_EQ(take_findings().size(), 1U);
  cudaDeviceSynchronize();
  for (const cudaGraphExec_t executable : executables) cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  for (const cudaStream_t other : others) cudaStreamDestroy(other);
}

TEST_F(Graphs, ForbidCallsThatACaptureMayNotSee) {
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 16), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Graphs, RunNodesInTheOrderOfTheirEdges) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  int value = 4;
  void* arguments[] = {&d_, &value};
  cudaKernelNodeParams parameters = {};
  parameters.func = const_cast<void*>(kAdd);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  cudaGraphNode_t add = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&add, graph, nullptr, 0, &parameters), cudaSuccess);
  cudaMemsetParams fill = {d_, 4, 0, 4, 1, 1};
  fill.value = 10;
  cudaGraphNode_t set = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &set, &add, nullptr, 1), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(first(), 14);
  value = 5;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, add, &parameters), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(first(), 15);
  EXPECT_TRUE(take_findings().empty());
  cudaGraphDestroy(graph);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, add, &parameters), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);  // it has its own nodes
  cudaGraphExecDestroy(executable);
}

TEST_F(Graphs, AllocateAndFreeByNodes) {
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  int* temporary = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&temporary), 64, stream_), cudaSuccess);
  launch(kFill, 1, 1, temporary, 8, stream_);
  cudaMemcpyAsync(d_, temporary, 4, cudaMemcpyDeviceToDevice, stream_);
  cudaFreeAsync(temporary, stream_);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  cudaStreamSynchronize(stream_);
  EXPECT_EQ(first(), 8);
  EXPECT_TRUE(take_findings().empty());
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace runtime_test
