// SPDX-License-Identifier: MIT
// Graphs as a program instantiates, launches and changes them.
#include <map>
#include <set>
#include <utility>

#include "call.h"
#include "capture.h"
#include "error_state.h"
#include "graph.h"
#include "stream.h"

namespace {

using namespace runtime;

std::set<cudaGraphExec_t>& executables() {
  static auto* const created = new std::set<cudaGraphExec_t>;  // outlives all users
  return *created;
}

bool is_executable(cudaGraphExec_t executable) { return executables().count(executable) != 0; }

// The node of `executable` that was made from `node`; null if there is none, or if that node was
// destroyed since.
cudaGraphNode_t same_node(cudaGraphExec_t executable, cudaGraphNode_t node) {
  if (!is_executable(executable) || !is_node(node)) return nullptr;
  for (const auto& own : executable->graph->nodes) {
    if (own->original == node) return own.get();
  }
  return nullptr;
}

template <class Work>
cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, const Work* parameters) {
  RUNTIME_CALL;
  if (!is_node(node)) {
    return set_last_error(cudaErrorInvalidValue, "the node is none, or its graph was destroyed");
  }
  const cudaGraphNode_t own = same_node(executable, node);
  if (own == nullptr || parameters == nullptr || std::get_if<Work>(&own->work) == nullptr) {
    return set_last_error(cudaErrorInvalidValue);
  }
  own->work = *parameters;
  own->captured = nullptr;
  return set_last_error(cudaSuccess);
}

// Whether both graphs have the same types of nodes and the same edges, in the order of the nodes.
cudaGraphExecUpdateResult compare(const CUgraph_st& a, const CUgraph_st& b,
                                  cudaGraphNode_t* difference) {
  if (a.nodes.size() != b.nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  std::map<cudaGraphNode_t, cudaGraphNode_t> same;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) same[b.nodes[i].get()] = a.nodes[i].get();
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    *difference = b.nodes[i].get();
    if (a.nodes[i]->type != b.nodes[i]->type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    std::set<cudaGraphNode_t> old(a.nodes[i]->dependencies.begin(), a.nodes[i]->dependencies.end());
    std::set<cudaGraphNode_t> now;
    for (const cudaGraphNode_t before : b.nodes[i]->dependencies) now.insert(same.at(before));
    if (old != now) return cudaGraphExecUpdateErrorTopologyChanged;
  }
  *difference = nullptr;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  RUNTIME_CALL;
  constexpr unsigned long long kAllFlags = 15;
  if (graph == nullptr) {
    return set_last_error(cudaErrorInvalidValue, "the graph is null: has a capture given it?");
  }
  if (executable == nullptr || !is_graph(graph) || flags > kAllFlags) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *executable = nullptr;
  if (!can_be_ordered(*graph)) return set_last_error(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{clone(*graph), graph, flags, note_graph(true)};
  executables().insert(*executable);
  note_graph_call(graph->nodes.size());
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  RUNTIME_CALL;
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  RUNTIME_CALL;
  if (parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiate(executable, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  RUNTIME_CALL;
  if (!is_executable(executable)) return set_last_error(cudaErrorInvalidValue);
  return set_handle_error(is_valid_stream(stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  RUNTIME_CALL;
  if (!is_executable(executable)) return set_last_error(cudaErrorInvalidValue);
  if (!is_valid_stream(stream)) return set_handle_error(false);
  if (is_capturing(stream)) return capture_graph(stream, *executable->graph);
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  if ((executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) {
    free_left(*executable->graph);
  }
  reset_conditions();
  if (executable->last_launch != 0) {
    stream_waits_for(stream, executable->last_launch);
    drop_clock(executable->last_launch);
  }
  ask(serve::GraphTurn{1, caller_place()});
  const cudaError_t error = run(*executable->graph, stream);
  ask(serve::GraphTurn{0, {}});
  executable->last_launch = record_clock(stream);
  return set_last_error(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  RUNTIME_CALL;
  if (executables().erase(executable) == 0) return set_last_error(cudaErrorInvalidValue);
  if (executable->last_launch != 0) drop_clock(executable->last_launch);
  ask(serve::RemoveGraph{executable->number});
  delete executable;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  RUNTIME_CALL;
  if (!is_executable(executable) || flags == nullptr) return set_last_error(cudaErrorInvalidValue);
  *flags = executable->flags;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  RUNTIME_CALL;
  if (!is_executable(executable) || !is_graph(graph) || result == nullptr) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *result = {};
  result->result = compare(*executable->graph, *graph, &result->errorNode);
  if (result->result != cudaGraphExecUpdateSuccess) {
    return set_last_error(cudaErrorGraphExecUpdateFailure);
  }
  note_graph_call(graph->nodes.size());
  // Later changes name the nodes of the graph that was instantiated.
  const std::shared_ptr<CUgraph_st> updated = clone(*graph);
  for (std::size_t i = 0; i < updated->nodes.size(); ++i) {
    CUgraphNode_st& own = *executable->graph->nodes[i];
    std::swap(own.work, updated->nodes[i]->work);
    own.captured = updated->nodes[i]->captured;
  }
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  RUNTIME_CALL;
  KernelWork work;
  const cudaError_t error = kernel_work(parameters, &work);
  return error == cudaSuccess ? change(executable, node, &work) : set_last_error(error);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  RUNTIME_CALL;
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* destination, const void* source,
                                               std::size_t size_bytes, cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaMemcpy3DParms copy = plain_copy(destination, source, size_bytes, kind);
  return change(executable, node, &copy);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  RUNTIME_CALL;
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  RUNTIME_CALL;
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  RUNTIME_CALL;
  if (!is_graph(child)) return set_last_error(cudaErrorInvalidValue);
  const std::shared_ptr<CUgraph_st> copy = clone(*child);
  return change(executable, node, &copy);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned int is_enabled) {
  RUNTIME_CALL;
  const cudaGraphNode_t own = same_node(executable, node);
  const bool fine = own != nullptr && own->type <= cudaGraphNodeTypeMemset;
  if (!fine) return set_last_error(cudaErrorInvalidValue);
  own->is_enabled = is_enabled != 0;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned int* is_enabled) {
  RUNTIME_CALL;
  const cudaGraphNode_t own = same_node(executable, node);
  if (own == nullptr || is_enabled == nullptr) return set_last_error(cudaErrorInvalidValue);
  *is_enabled = own->is_enabled ? 1 : 0;
  return set_last_error(cudaSuccess);
}
