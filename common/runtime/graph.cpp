// SPDX-License-Identifier: MIT
// Graphs as a program builds them: nodes, edges and parameters.
#include "graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "allocation.h"
#include "call.h"
#include "connection.h"
#include "error_state.h"

namespace runtime {
namespace {

struct Condition {
  unsigned default_value;
  bool is_reset;  // at each launch
};

struct Graphs {
  std::set<cudaGraph_t> created;  // those of a program; it may destroy them
  std::set<cudaGraphNode_t> nodes;
  std::map<cudaGraphConditionalHandle, Condition> conditions;
};

Graphs& all() {
  static auto* const graphs = new Graphs;  // outlives all users
  return *graphs;
}

NodeWork clone_work(const NodeWork& work) {
  if (const auto* child = std::get_if<std::shared_ptr<CUgraph_st>>(&work)) return clone(**child);
  const auto* const condition = std::get_if<std::shared_ptr<ConditionWork>>(&work);
  if (condition == nullptr) return work;
  // A program fills the bodies after it has made the node.
  auto same = std::make_shared<ConditionWork>();
  same->parameters = (*condition)->parameters;
  for (const auto& body : (*condition)->bodies) {
    same->bodies.push_back(std::make_unique<CUgraph_st>());
    std::swap(same->bodies.back()->nodes, clone(*body)->nodes);
    for (const auto& node : same->bodies.back()->nodes) node->graph = same->bodies.back().get();
  }
  return same;
}

}  // namespace

bool contains(cudaGraph_t graph, cudaGraphNode_t node) {
  return is_node(node) && node->graph == graph;
}

void enter_graph(cudaGraph_t graph) { all().created.insert(graph); }
std::uint64_t note_graph(bool is_executable) {
  return ask(serve::AddGraph{is_executable ? 1U : 0U, caller_place()}).result.graph;
}
void forget_graph(cudaGraph_t graph) { all().created.erase(graph); }
void forget_node(cudaGraphNode_t node) { all().nodes.erase(node); }

void note_graph_call(std::size_t num_nodes) { ask(serve::GraphCall{num_nodes, caller_place()}); }

bool is_graph(cudaGraph_t graph) { return all().created.count(graph) != 0; }
bool is_node(cudaGraphNode_t node) { return all().nodes.count(node) != 0; }

cudaError_t add_node(cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     std::size_t num_dependencies, cudaGraphNodeType type, NodeWork work,
                     cudaGraphNode_t* node) {
  if (!is_graph(graph) || node == nullptr || (dependencies == nullptr && num_dependencies != 0)) {
    return cudaErrorInvalidValue;
  }
  std::vector<cudaGraphNode_t> before(dependencies, dependencies + num_dependencies);
  const bool fine = std::all_of(before.begin(), before.end(),
                                [&](cudaGraphNode_t other) { return contains(graph, other); });
  if (!fine) return cudaErrorInvalidValue;
  graph->nodes.push_back(std::unique_ptr<CUgraphNode_st>(
      new CUgraphNode_st{graph, type, std::move(before), std::move(work), {}}));
  graph->order.clear();
  *node = graph->nodes.back().get();
  all().nodes.insert(*node);
  note_graph_call(1);
  return cudaSuccess;
}

std::shared_ptr<CUgraph_st> clone(const CUgraph_st& graph) {
  auto copy = std::make_shared<CUgraph_st>();
  std::map<cudaGraphNode_t, cudaGraphNode_t> same;
  for (const auto& node : graph.nodes) {
    copy->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    CUgraphNode_st& made = *copy->nodes.back();
    made.graph = copy.get();
    made.work = clone_work(node->work);
    made.original = node.get();
    same[node.get()] = &made;
    all().nodes.insert(&made);
  }
  for (const auto& node : copy->nodes) {
    for (cudaGraphNode_t& dependency : node->dependencies) dependency = same.at(dependency);
  }
  return copy;
}

cudaError_t kernel_work(const cudaKernelNodeParams* parameters, KernelWork* work) {
  if (parameters == nullptr || parameters->extra != nullptr) return cudaErrorInvalidValue;
  const Kernel* const kernel = find_kernel(parameters->func);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (parameters->kernelParams == nullptr && !kernel->parameters.empty()) {
    return cudaErrorInvalidValue;
  }
  LaunchConfig config;
  config.grid = parameters->gridDim;
  config.block = parameters->blockDim;
  config.shared_bytes = parameters->sharedMemBytes;
  const cudaError_t error = check_launch(*kernel, config);
  if (error != cudaSuccess) return error;
  *work = {parameters->func, kernel, config, pack_parameters(*kernel, parameters->kernelParams)};
  return cudaSuccess;
}

std::vector<void*> KernelWork::places() const {
  std::vector<void*> found;
  for (const serve::ParameterPlace& place : kernel->parameters) {
    found.push_back(const_cast<char*>(parameters.data()) + place.offset);
  }
  return found;
}

cudaGraphConditionalHandle add_condition(unsigned default_value, bool is_reset) {
  cudaError_t error = cudaSuccess;
  const auto handle = reinterpret_cast<cudaGraphConditionalHandle>(
      allocate(sizeof default_value, serve::Memory::kPinned, &error));
  if (error != cudaSuccess) return 0;
  all().conditions[handle] = {default_value, is_reset};
  condition(handle) = default_value;
  return handle;
}

bool is_condition(cudaGraphConditionalHandle handle) { return all().conditions.count(handle) != 0; }

unsigned& condition(cudaGraphConditionalHandle handle) {
  open_all_pages();  // the graph orders what kernels write there
  return *reinterpret_cast<unsigned*>(handle);
}

void reset_conditions() {
  for (const auto& [handle, about] : all().conditions) {
    if (about.is_reset) condition(handle) = about.default_value;
  }
}

}  // namespace runtime

CUgraph_st::~CUgraph_st() {
  runtime::forget_graph(this);
  for (const auto& node : nodes) runtime::forget_node(node.get());
}

namespace {

using namespace runtime;

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  RUNTIME_CALL;
  if (graph == nullptr || flags != 0) return set_last_error(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  (*graph)->number = note_graph(false);
  all().created.insert(*graph);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  RUNTIME_CALL;
  if (!is_graph(graph) || graph->belongs_to_node) return set_last_error(cudaErrorInvalidValue);
  ask(serve::RemoveGraph{graph->number});
  delete graph;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t original) {
  RUNTIME_CALL;
  if (copy == nullptr || !is_graph(original)) return set_last_error(cudaErrorInvalidValue);
  const std::shared_ptr<CUgraph_st> made = clone(*original);
  *copy = new CUgraph_st;
  (*copy)->number = note_graph(false);
  std::swap((*copy)->nodes, made->nodes);
  for (const auto& node : (*copy)->nodes) node->graph = *copy;
  all().created.insert(*copy);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t copy) {
  RUNTIME_CALL;
  if (node == nullptr || !is_graph(copy)) return set_last_error(cudaErrorInvalidValue);
  const auto found = std::find_if(copy->nodes.begin(), copy->nodes.end(),
                                  [&](const auto& other) { return other->original == original; });
  if (found == copy->nodes.end()) return set_last_error(cudaErrorInvalidValue);
  *node = found->get();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int default_value, unsigned int flags) {
  RUNTIME_CALL;
  if (handle == nullptr || !is_graph(graph) || flags > cudaGraphCondAssignDefault) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *handle = add_condition(default_value, flags == cudaGraphCondAssignDefault);
  return set_last_error(*handle != 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}
