// SPDX-License-Identifier: MIT
// Nodes: how a program adds them, and their parameters.
#include <map>
#include <utility>
#include <vector>

#include "call.h"
#include "error_state.h"
#include "graph.h"

namespace {

using namespace runtime;

// The node's work, if it is of that type.
template <class Work>
Work* work_of(cudaGraphNode_t node) {
  return is_node(node) ? std::get_if<Work>(&node->work) : nullptr;
}

template <class Work>
cudaError_t get_work(cudaGraphNode_t node, Work* parameters) {
  RUNTIME_CALL;
  const Work* const work = work_of<Work>(node);
  if (work == nullptr || parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  *parameters = *work;
  return set_last_error(cudaSuccess);
}

template <class Work>
cudaError_t set_work(cudaGraphNode_t node, const Work* parameters) {
  RUNTIME_CALL;
  Work* const work = work_of<Work>(node);
  if (work == nullptr || parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  *work = *parameters;
  node->captured = nullptr;
  return set_last_error(cudaSuccess);
}

template <class Work>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                std::size_t num_dependencies, cudaGraphNodeType type, const Work* parameters) {
  RUNTIME_CALL;
  if (parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  return set_last_error(add_node(graph, dependencies, num_dependencies, type, *parameters, node));
}

cudaError_t add_condition_node(cudaGraphNode_t* node, cudaGraph_t graph,
                               const cudaGraphNode_t* dependencies, std::size_t num_dependencies,
                               cudaConditionalNodeParams& parameters) {
  const unsigned most = parameters.type == cudaGraphCondTypeIf      ? 2
                        : parameters.type == cudaGraphCondTypeWhile ? 1
                                                                    : ~0u;
  if (!is_condition(parameters.handle) || parameters.size == 0 || parameters.size > most) {
    return set_last_error(cudaErrorInvalidValue);
  }
  auto work = std::make_shared<ConditionWork>();
  for (unsigned i = 0; i < parameters.size; ++i) {
    work->bodies.push_back(std::make_unique<CUgraph_st>());
    work->bodies.back()->belongs_to_node = true;
    work->handles.push_back(work->bodies.back().get());
    enter_graph(work->handles.back());
  }
  parameters.phGraph_out = work->handles.data();
  work->parameters = parameters;
  return set_last_error(add_node(graph, dependencies, num_dependencies,
                                 cudaGraphNodeTypeConditional, std::move(work), node));
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   std::size_t num_dependencies,
                                   const cudaKernelNodeParams* parameters) {
  RUNTIME_CALL;
  KernelWork work;
  const cudaError_t error = kernel_work(parameters, &work);
  if (error != cudaSuccess) return set_last_error(error);
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeKernel, &work);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   std::size_t num_dependencies,
                                   const cudaMemcpy3DParms* parameters) {
  RUNTIME_CALL;
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeMemcpy, parameters);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies,
                                     std::size_t num_dependencies, void* destination,
                                     const void* source, std::size_t size_bytes,
                                     cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaMemcpy3DParms copy = plain_copy(destination, source, size_bytes, kind);
  return cudaGraphAddMemcpyNode(node, graph, dependencies, num_dependencies, &copy);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   std::size_t num_dependencies,
                                   const cudaMemsetParams* parameters) {
  RUNTIME_CALL;
  const bool fine =
      parameters != nullptr && (parameters->elementSize == 1 || parameters->elementSize == 2 ||
                                parameters->elementSize == 4);
  if (!fine) return set_last_error(cudaErrorInvalidValue);
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeMemset, parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t num_dependencies,
                                 const cudaHostNodeParams* parameters) {
  RUNTIME_CALL;
  if (parameters == nullptr || parameters->fn == nullptr) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeHost, parameters);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies,
                                       std::size_t num_dependencies, cudaGraph_t child) {
  RUNTIME_CALL;
  if (!is_graph(child)) return set_last_error(cudaErrorInvalidValue);
  const std::shared_ptr<CUgraph_st> copy = clone(*child);
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeGraph, &copy);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies,
                                  std::size_t num_dependencies) {
  RUNTIME_CALL;
  constexpr std::monostate kNothing;
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeEmpty, &kNothing);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies,
                                        std::size_t num_dependencies, cudaEvent_t event) {
  RUNTIME_CALL;
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeEventRecord, &event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies,
                                      std::size_t num_dependencies, cudaEvent_t event) {
  RUNTIME_CALL;
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeWaitEvent, &event);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies,
                                     std::size_t num_dependencies,
                                     cudaMemAllocNodeParams* parameters) {
  RUNTIME_CALL;
  if (parameters == nullptr || parameters->bytesize == 0 ||
      parameters->poolProps.allocType != cudaMemAllocationTypePinned) {
    return set_last_error(cudaErrorInvalidValue);
  }
  parameters->dptr = take_address(parameters->bytesize);
  if (parameters->dptr == nullptr) return set_last_error(cudaErrorMemoryAllocation);
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeMemAlloc, parameters);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies,
                                    std::size_t num_dependencies, void* pointer) {
  RUNTIME_CALL;
  const cudaMemFreeNodeParams parameters = {pointer};
  return add(node, graph, dependencies, num_dependencies, cudaGraphNodeTypeMemFree,
             pointer == nullptr ? nullptr : &parameters);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             std::size_t num_dependencies, cudaGraphNodeParams* parameters) {
  RUNTIME_CALL;
  if (parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  cudaGraphNodeParams& all_of = *parameters;
  switch (all_of.type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, dependencies, num_dependencies, &all_of.kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, num_dependencies,
                                    &all_of.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, dependencies, num_dependencies, &all_of.memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, dependencies, num_dependencies, &all_of.host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, num_dependencies,
                                        all_of.graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, num_dependencies);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, num_dependencies,
                                       all_of.eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, num_dependencies,
                                         all_of.eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, dependencies, num_dependencies, &all_of.alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, num_dependencies, all_of.free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_condition_node(node, graph, dependencies, num_dependencies, all_of.conditional);
    default:
      return set_last_error(cudaErrorNotSupported);
  }
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  RUNTIME_CALL;
  if (node == nullptr) {
    return set_last_error(cudaErrorInvalidValue, "the node is null: has the graph any?");
  }
  KernelWork* const work = work_of<KernelWork>(node);
  if (work == nullptr || parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  static auto& places = *new std::map<cudaGraphNode_t, std::vector<void*>>;
  places[node] = work->places();
  *parameters = {const_cast<void*>(work->function),
                 work->config.grid,
                 work->config.block,
                 static_cast<unsigned>(work->config.shared_bytes),
                 places[node].data(),
                 nullptr};
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  RUNTIME_CALL;
  KernelWork work;
  const cudaError_t error = kernel_work(parameters, &work);
  return error == cudaSuccess ? set_work(node, &work) : set_last_error(error);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  RUNTIME_CALL;
  return get_work(node, parameters);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  RUNTIME_CALL;
  return set_work(node, parameters);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* destination,
                                           const void* source, std::size_t size_bytes,
                                           cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaMemcpy3DParms copy = plain_copy(destination, source, size_bytes, kind);
  return set_work(node, &copy);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  RUNTIME_CALL;
  return get_work(node, parameters);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  RUNTIME_CALL;
  return set_work(node, parameters);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  RUNTIME_CALL;
  return get_work(node, parameters);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  RUNTIME_CALL;
  return set_work(node, parameters);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
  RUNTIME_CALL;
  return get_work(node, parameters);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  RUNTIME_CALL;
  cudaMemFreeNodeParams parameters = {};
  const cudaError_t error = get_work(node, &parameters);
  if (error == cudaSuccess) *static_cast<void**>(pointer) = parameters.dptr;
  return error;
}
