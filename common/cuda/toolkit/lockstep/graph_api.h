// SPDX-License-Identifier: MIT
// CUDA graphs: work that is described once, by capturing a stream or node by node, and launched as
// a whole. Nodes without a path of edges between them may run at the same time, so the race checker
// takes them for unordered. Signatures are those of CUDA 13; where CUDA 12 had others, both work.
#pragma once

#include <cstddef>

#include "lockstep/capture_api.h"
#include "lockstep/copy_api.h"
#include "lockstep/error.h"
#include "lockstep/graph_nodes.h"
#include "lockstep/stream_api.h"
#include "lockstep/symbol_api.h"

// Building. A node's dependencies have to be nodes of the same graph: else cudaErrorInvalidValue.
LOCKSTEP_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
LOCKSTEP_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
LOCKSTEP_API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original);
LOCKSTEP_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                                  cudaGraph_t clone);
LOCKSTEP_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* dependency_data,
                                          std::size_t num_dependencies,
                                          cudaGraphNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies,
                                                std::size_t num_dependencies,
                                                const cudaKernelNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies,
                                                std::size_t num_dependencies,
                                                const cudaMemcpy3DParms* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies,
                                                  std::size_t num_dependencies, void* destination,
                                                  const void* source, std::size_t size_bytes,
                                                  cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies,
                                                std::size_t num_dependencies,
                                                const cudaMemsetParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies,
                                              std::size_t num_dependencies,
                                              const cudaHostNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies,
                                                    std::size_t num_dependencies,
                                                    cudaGraph_t child);
LOCKSTEP_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               const cudaGraphNode_t* dependencies,
                                               std::size_t num_dependencies);
LOCKSTEP_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies,
                                                     std::size_t num_dependencies,
                                                     cudaEvent_t event);
LOCKSTEP_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies,
                                                   std::size_t num_dependencies, cudaEvent_t event);
LOCKSTEP_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies,
                                                  std::size_t num_dependencies,
                                                  cudaMemAllocNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* dependencies,
                                                 std::size_t num_dependencies, void* pointer);
LOCKSTEP_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                                          cudaGraph_t graph,
                                                          unsigned int default_value = 0,
                                                          unsigned int flags = 0);
// For kernels: what the node that has this handle looks at when its turn comes.
#ifdef __CUDA__
LOCKSTEP_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                             unsigned int value) {
  __asm__ volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(handle), "r"(value) : "memory");
}
#endif

// Edges and nodes.
LOCKSTEP_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to,
                                                  const cudaGraphEdgeData* data,
                                                  std::size_t num_dependencies);
LOCKSTEP_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to,
                                                     const cudaGraphEdgeData* data,
                                                     std::size_t num_dependencies);
LOCKSTEP_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
// The lists: with a null array they only say how many there are. A longer array than needed is
// filled up with null.
LOCKSTEP_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                           std::size_t* num_nodes);
LOCKSTEP_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                               std::size_t* num_nodes);
LOCKSTEP_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                           cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                           std::size_t* num_edges);
LOCKSTEP_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                      cudaGraphEdgeData* data,
                                                      std::size_t* num_nodes);
LOCKSTEP_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                        cudaGraphNode_t* nodes,
                                                        cudaGraphEdgeData* data,
                                                        std::size_t* num_nodes);
LOCKSTEP_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
LOCKSTEP_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph);

// Parameters. A node of another type than the function's is cudaErrorInvalidValue. The kernel of a
// node that a capture made of <<<>>> is not known: cudaErrorNotSupported.
LOCKSTEP_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                      cudaKernelNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                      const cudaKernelNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemcpy3DParms* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemcpy3DParms* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* destination,
                                                        const void* source, std::size_t size_bytes,
                                                        cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemsetParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemsetParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                    cudaHostNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                    const cudaHostNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                        cudaMemAllocNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer);

// Running. A circle of edges cannot be instantiated: cudaErrorInvalidValue.
LOCKSTEP_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                              unsigned long long flags = 0);
LOCKSTEP_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                       cudaGraph_t graph,
                                                       unsigned long long flags = 0);
LOCKSTEP_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable,
                                                        cudaGraph_t graph,
                                                        cudaGraphInstantiateParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
LOCKSTEP_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
LOCKSTEP_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
LOCKSTEP_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable,
                                               unsigned long long* flags);

// Changes to what was instantiated. cudaErrorGraphExecUpdateFailure if the graph has other nodes
// or edges.
LOCKSTEP_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                             cudaGraphExecUpdateResultInfo* result);
LOCKSTEP_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaKernelNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemcpy3DParms* parameters);
LOCKSTEP_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node, void* destination,
                                                            const void* source,
                                                            std::size_t size_bytes,
                                                            cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemsetParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaHostNodeParams* parameters);
LOCKSTEP_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                              cudaGraphNode_t node,
                                                              cudaGraph_t child);
LOCKSTEP_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 unsigned int is_enabled);
LOCKSTEP_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 unsigned int* is_enabled);

// Memory that graphs have allocated.
LOCKSTEP_API cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                                        cudaGraphMemAttributeType attribute,
                                                        void* value);
LOCKSTEP_API cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                                        cudaGraphMemAttributeType attribute,
                                                        void* value);
LOCKSTEP_API cudaError_t cudaDeviceGraphMemTrim(int device);

// As CUDA 12 had them, and 11.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                        cudaGraphNode_t* error_node, char* log,
                                        std::size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return cudaGraphInstantiate(executable, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                       cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies,
                                    std::size_t num_dependencies, cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, dependencies, nullptr, num_dependencies, parameters);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to,
                                            std::size_t num_dependencies) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, num_dependencies);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to,
                                               std::size_t num_dependencies) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, num_dependencies);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     std::size_t* num_edges) {
  return cudaGraphGetEdges(graph, from, to, nullptr, num_edges);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                std::size_t* num_nodes) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, num_nodes);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                  std::size_t* num_nodes) {
  return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, num_nodes);
}

template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies,
                                           std::size_t num_dependencies, const T& symbol,
                                           const void* source, std::size_t size_bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  void* place = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&place, symbol);
  if (error != cudaSuccess) return error;
  return cudaGraphAddMemcpyNode1D(node, graph, dependencies, num_dependencies,
                                  static_cast<char*>(place) + offset, source, size_bytes, kind);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies,
                                             std::size_t num_dependencies, void* destination,
                                             const T& symbol, std::size_t size_bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  void* place = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&place, symbol);
  if (error != cudaSuccess) return error;
  return cudaGraphAddMemcpyNode1D(node, graph, dependencies, num_dependencies, destination,
                                  static_cast<char*>(place) + offset, size_bytes, kind);
}
