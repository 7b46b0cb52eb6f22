// SPDX-License-Identifier: MIT
// CUDA graphs, node by node, and their executables.
#include <vector>

#include "graph_test.h"

namespace simt_test::graph_test {
namespace {

template <class T>
__global__ void set_kernel(T* data, T value) {
  data[threadIdx.x] = value;
}
__global__ void count_down_kernel(int* left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose_kernel(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

TEST_F(Graphs, FindsThatNothingOrdersTwoNodes) {
  add_kernel_node((void*)add_kernel, 1);
  add_kernel_node((void*)multiply_kernel, 2);
  launch();
  const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
  EXPECT_TRUE(contains(finding.message, "nothing orders"));
  EXPECT_TRUE(contains(finding.message, "line " + std::to_string(kAddLine)));
}

TEST_F(Graphs, OrdersNodesByTheirEdges) {
  const cudaGraphNode_t first = add_kernel_node((void*)add_kernel, 1);
  const cudaGraphNode_t second = add_kernel_node((void*)multiply_kernel, 2, {first});
  const cudaGraphNode_t third = add_kernel_node(reinterpret_cast<void*>(&add_kernel), 3);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &second, &third, 1), cudaSuccess);
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 5));
  expect_error(cudaGraphAddDependencies(graph_, &second, &third, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &third, &first, 1), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  expect_error(cudaGraphInstantiate(&executable, graph_), cudaErrorInvalidValue);
}

TEST_F(Graphs, AddsAllEdgesOfACallOrNone) {
  const cudaGraphNode_t doubles = add_kernel_node((void*)multiply_kernel, 2);
  const cudaGraphNode_t adds = add_kernel_node((void*)add_kernel, 1, {doubles});
  launch();
  const cudaGraphNode_t from[] = {adds, adds}, to[] = {doubles, adds};
  expect_error(cudaGraphAddDependencies(graph_, from, to, 2), cudaErrorInvalidValue);
  const cudaGraphNode_t behind[] = {doubles, adds}, before[] = {adds, doubles};
  expect_error(cudaGraphRemoveDependencies(graph_, behind, before, 2), cudaErrorInvalidValue);
  std::size_t num_edges = 0;
  EXPECT_EQ(cudaGraphGetEdges(graph_, nullptr, nullptr, &num_edges), cudaSuccess);
  EXPECT_EQ(num_edges, 1u);
}

TEST_F(Graphs, TakesKernelsThatAreTemplates) {
  add_kernel_node((void*)set_kernel<int>, 9);
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 9));
}

TEST_F(Graphs, RunsNodesOfEachType) {
  int h_source[kItems], calls = 0;
  for (int i = 0; i < kItems; ++i) h_source[i] = i;
  cudaMemsetParams fill = {};
  fill.dst = data_;
  fill.value = 0x01020304;
  fill.elementSize = 4;
  fill.width = kItems;
  fill.height = 1;
  cudaGraphNode_t filled = nullptr, copied = nullptr, called = nullptr, empty = nullptr;
  EXPECT_EQ(cudaGraphAddMemsetNode(&filled, graph_, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEmptyNode(&empty, graph_, &filled, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, &empty, 1, data_, h_source,
                                     kItems / 2 * sizeof(int), cudaMemcpyHostToDevice),
            cudaSuccess);
  cudaHostNodeParams call = {[](void* count) { ++*static_cast<int*>(count); }, &calls};
  EXPECT_EQ(cudaGraphAddHostNode(&called, graph_, &copied, 1, &call), cudaSuccess);
  launch();
  EXPECT_EQ(values()[1], 1);
  EXPECT_EQ(values()[kItems - 1], 0x01020304);
  EXPECT_EQ(calls, 1);
  std::size_t num_edges = 0;
  EXPECT_EQ(cudaGraphGetEdges(graph_, nullptr, nullptr, &num_edges), cudaSuccess);
  EXPECT_EQ(num_edges, 3u);
}

TEST_F(Graphs, RunsAGraphInAGraph) {
  cudaGraph_t whole = nullptr;
  cudaGraphCreate(&whole, 0);
  add_kernel_node((void*)add_kernel, 4);
  cudaGraphNode_t first = nullptr, second = nullptr;
  EXPECT_EQ(cudaGraphAddChildGraphNode(&first, whole, nullptr, 0, graph_), cudaSuccess);
  EXPECT_EQ(cudaGraphAddChildGraphNode(&second, whole, &first, 1, graph_), cudaSuccess);
  std::swap(whole, graph_);
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 8));
  cudaGraphDestroy(whole);
}

TEST_F(Graphs, ChangesAnExecutableAlone) {
  const cudaGraphNode_t node = add_kernel_node((void*)add_kernel, 1);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph_), cudaSuccess);
  cudaKernelNodeParams parameters = {};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(node, &parameters), cudaSuccess);
  EXPECT_EQ(parameters.blockDim.x, static_cast<unsigned>(kItems));
  EXPECT_EQ(*static_cast<int*>(parameters.kernelParams[1]), 1);
  int value = 10;
  void* arguments[] = {&data_, &value};
  parameters.kernelParams = arguments;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeSetEnabled(executable, node, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kItems, 10)) << "a disabled node does nothing";
  cudaGraphExecDestroy(executable);
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 11)) << "the graph has its own parameters";
}

TEST_F(Graphs, UpdatesAnExecutableFromAGraphOfTheSameShape) {
  add_kernel_node((void*)add_kernel, 1);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph_, nullptr, nullptr, 0);
  cudaGraphDestroy(graph_);
  cudaGraphCreate(&graph_, 0);
  const cudaGraphNode_t node = add_kernel_node((void*)multiply_kernel, 0);
  cudaGraphExecUpdateResultInfo result = {};
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph_, &result), cudaSuccess);
  EXPECT_EQ(result.result, cudaGraphExecUpdateSuccess);
  add_kernel_node((void*)add_kernel, 1, {node});
  expect_error(cudaGraphExecUpdate(executable, graph_, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kItems, 0));
  cudaGraphExecDestroy(executable);
}

TEST_F(Graphs, RepeatsABodyWhileAConditionHolds) {
  int* left = nullptr;
  cudaMalloc(&left, sizeof(int));
  const int rounds = 4;
  cudaMemcpy(left, &rounds, sizeof rounds, cudaMemcpyHostToDevice);
  cudaGraphConditionalHandle handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &parameters), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_, parameters.conditional.phGraph_out[0], nullptr,
                                          nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  add_kernel<<<1, kItems, 0, stream_>>>(data_, 1);
  count_down_kernel<<<1, 1, 0, stream_>>>(left, handle);
  ASSERT_EQ(cudaStreamEndCapture(stream_, nullptr), cudaSuccess) << "the graph is known";
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, rounds));
  cudaFree(left);
}

TEST_F(Graphs, ChoosesABodyByAValue) {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalHandleCreate(&handle, graph_);
  unsigned value = 1;
  void* arguments[] = {&handle, &value};
  cudaGraphNodeParams choose = {};
  choose.type = cudaGraphNodeTypeKernel;
  choose.kernel.func = (void*)choose_kernel;
  choose.kernel.gridDim = choose.kernel.blockDim = dim3(1);
  choose.kernel.kernelParams = arguments;
  cudaGraphNode_t chosen = nullptr, node = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&chosen, graph_, nullptr, 0, &choose), cudaSuccess);
  cudaGraphNodeParams bodies = {};
  bodies.type = cudaGraphNodeTypeConditional;
  bodies.conditional.handle = handle;
  bodies.conditional.type = cudaGraphCondTypeSwitch;
  bodies.conditional.size = 2;
  ASSERT_EQ(cudaGraphAddNode(&node, graph_, &chosen, 1, &bodies), cudaSuccess);
  const cudaGraph_t whole = graph_;
  for (int i = 0; i < 2; ++i) {
    graph_ = bodies.conditional.phGraph_out[i];
    add_kernel_node((void*)add_kernel, 10 + i);
  }
  graph_ = whole;
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 11));
}

TEST_F(Graphs, RefusesMemoryThatIsStillThere) {
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 64;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &memory), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph_);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  unsigned long long used = 0;
  EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 64u);
  expect_error(cudaGraphLaunch(executable, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory.dptr), cudaSuccess);
  cudaGraphExecDestroy(executable);
  cudaGraphInstantiate(&executable, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(cudaFree(memory.dptr), cudaSuccess);
  cudaGraphExecDestroy(executable);
}

TEST_F(Graphs, RefusesWhatIsNoKernelAndNoNode) {
  cudaKernelNodeParams parameters = {};
  parameters.func = data_;
  parameters.gridDim = parameters.blockDim = dim3(1);
  cudaGraphNode_t node = nullptr;
  expect_error(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters),
               cudaErrorInvalidDeviceFunction);
  void* arguments[] = {&data_, &data_};
  parameters.func = (void*)add_kernel;
  parameters.kernelParams = arguments;
  parameters.blockDim = dim3(4096);
  expect_error(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters),
               cudaErrorInvalidValue);
  cudaGraph_t other = nullptr;
  cudaGraphCreate(&other, 0);
  cudaGraphNode_t of_other = nullptr;
  EXPECT_EQ(cudaGraphAddEmptyNode(&of_other, other, nullptr, 0), cudaSuccess);
  expect_error(cudaGraphAddEmptyNode(&node, graph_, &of_other, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
  expect_error(cudaGraphDestroy(other), cudaErrorInvalidValue);
  expect_error(cudaGraphAddEmptyNode(&node, graph_, &of_other, 1), cudaErrorInvalidValue);
  expect_error(cudaGraphLaunch(nullptr, stream_), cudaErrorInvalidValue);
}

TEST_F(Graphs, ClonesAGraphWithItsEdges) {
  const cudaGraphNode_t first = add_kernel_node((void*)add_kernel, 1);
  add_kernel_node((void*)multiply_kernel, 6, {first});
  cudaGraph_t copy = nullptr;
  ASSERT_EQ(cudaGraphClone(&copy, graph_), cudaSuccess);
  cudaGraphNode_t same = nullptr;
  EXPECT_EQ(cudaGraphNodeFindInClone(&same, first, copy), cudaSuccess);
  EXPECT_NE(same, first);
  cudaGraphDestroy(graph_);
  graph_ = copy;
  launch();
  EXPECT_EQ(values(), std::vector<int>(kItems, 6));
}

TEST_F(Graphs, LaunchesAKernelByItsAddress) {
  const void* const kernel = (const void*)add_kernel;
  int value = 3;
  void* arguments[] = {&data_, &value};
  EXPECT_EQ(cudaLaunchKernel(kernel, dim3(1), dim3(kItems), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kItems, 3));
}

}  // namespace
}  // namespace simt_test::graph_test
