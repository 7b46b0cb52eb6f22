// SPDX-License-Identifier: MIT
// CUDA graphs that come from capturing streams.
#include <vector>

#include "graph_test.h"

namespace simt_test::capture_test {
namespace {

template <class T>
__global__ void set_kernel(T* data, T value) {
  data[threadIdx.x] = value;
}

class Captures : public Graphs {};

TEST_F(Captures, RunsWhatAStreamCapturedAtEachLaunchOnly) {
  begin();
  add_kernel<<<1, kItems, 0, stream_>>>(data_, 1);
  multiply_kernel<<<1, kItems, 0, stream_>>>(data_, 3);
  end();
  EXPECT_EQ(values(), std::vector<int>(kItems, 0)) << "nothing runs while it is captured";
  launch(2);
  EXPECT_EQ(values(), std::vector<int>(kItems, 12));
}

TEST_F(Captures, CapturesCopiesFillsAndFunctions) {
  int* h_data = nullptr;
  cudaMallocHost(&h_data, kItems * sizeof(int));
  int calls = 0;
  begin();
  cudaMemsetAsync(data_, 0, kItems * sizeof(int), stream_);
  add_kernel<<<1, kItems, 0, stream_>>>(data_, 7);
  cudaMemcpyAsync(h_data, data_, kItems * sizeof(int), cudaMemcpyDeviceToHost, stream_);
  cudaLaunchHostFunc(
      stream_, [](void* count) { ++*static_cast<int*>(count); }, &calls);
  end();
  h_data[5] = 0;
  EXPECT_EQ(calls, 0);
  launch(3);
  EXPECT_EQ(h_data[5], 7);
  EXPECT_EQ(calls, 3);
  std::size_t num_nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph_, nullptr, &num_nodes), cudaSuccess);
  ASSERT_EQ(num_nodes, 4u);
  std::vector<cudaGraphNode_t> nodes(num_nodes);
  cudaGraphGetNodes(graph_, nodes.data(), &num_nodes);
  std::vector<cudaGraphNodeType> types(num_nodes);
  for (std::size_t i = 0; i < num_nodes; ++i) cudaGraphNodeGetType(nodes[i], &types[i]);
  EXPECT_EQ(types,
            (std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel,
                                            cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost}));
  cudaFreeHost(h_data);
}

TEST_F(Captures, JoinsAStreamThatWaitsForACapturedEvent) {
  begin();
  add_kernel<<<1, kItems, 0, stream_>>>(data_, 1);
  cudaEventRecord(fork_, stream_);
  cudaStreamWaitEvent(other_, fork_);
  multiply_kernel<<<1, kItems, 0, other_>>>(data_, 5);
  cudaEventRecord(join_, other_);
  cudaStreamWaitEvent(stream_, join_);
  add_kernel<<<1, kItems, 0, stream_>>>(data_, 2);
  end();
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 7));
}

TEST_F(Captures, AllocatesMemoryAtEachLaunch) {
  begin();
  int* scratch = nullptr;
  ASSERT_EQ(cudaMallocAsync(&scratch, kItems * sizeof(int), stream_), cudaSuccess);
  set_kernel<int><<<1, kItems, 0, stream_>>>(scratch, 6);
  cudaMemcpyAsync(data_, scratch, kItems * sizeof(int), cudaMemcpyDeviceToDevice, stream_);
  ASSERT_EQ(cudaFreeAsync(scratch, stream_), cudaSuccess);
  end();
  launch(2);
  EXPECT_EQ(values(), std::vector<int>(kItems, 6));
  set_kernel<int><<<1, kItems>>>(scratch, 1);
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message, "freed"));
}

TEST_F(Captures, SaysWhatCannotBeCaptured) {
  expect_error(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
               cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  expect_error(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  begin();
  expect_error(cudaStreamEndCapture(stream_, nullptr), cudaErrorInvalidValue);
  expect_error(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  expect_error(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  expect_error(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(Captures, ForbidsAllocationsWhileItCaptures) {
  void* memory = nullptr;
  begin();
  expect_error(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  expect_error(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  end();
}

TEST_F(Captures, KeepsTheLegacyStreamOutOfCaptures) {
  cudaStream_t blocking = nullptr;
  cudaStreamCreate(&blocking);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), cudaSuccess);
  add_kernel<<<1, kItems>>>(data_, 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  cudaGraph_t graph = nullptr;
  expect_error(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  cudaStreamDestroy(blocking);
  begin();  // a stream that does not wait for the legacy one
  add_kernel<<<1, kItems>>>(data_, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  end();
  EXPECT_EQ(values(), std::vector<int>(kItems, 1));
}

TEST_F(Captures, WantsStreamsJoinedAndEndedWhereTheyBegan) {
  begin();
  cudaEventRecord(fork_, stream_);
  cudaStreamWaitEvent(other_, fork_);
  add_kernel<<<1, kItems, 0, other_>>>(data_, 1);
  cudaGraph_t graph = nullptr;
  expect_error(cudaStreamEndCapture(other_, &graph), cudaErrorStreamCaptureUnmatched);
  expect_error(cudaEventSynchronize(fork_), cudaErrorCapturedEvent);
  expect_error(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
  cudaEventRecord(join_, other_);
  begin();
  expect_error(cudaStreamWaitEvent(stream_, join_), cudaErrorStreamCaptureIsolation);
  expect_error(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

}  // namespace
}  // namespace simt_test::capture_test
