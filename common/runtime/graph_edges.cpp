// SPDX-License-Identifier: MIT
// Edges and the lists of nodes.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "call.h"
#include "error_state.h"
#include "graph.h"

namespace {

using namespace runtime;

cudaError_t give_nodes(const std::vector<cudaGraphNode_t>& found, cudaGraphNode_t* nodes,
                       std::size_t* num_nodes) {
  if (num_nodes == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (nodes != nullptr) {
    for (std::size_t i = 0; i < *num_nodes; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    *num_nodes = std::min(*num_nodes, found.size());
  } else {
    *num_nodes = found.size();
  }
  return set_last_error(cudaSuccess);
}

using Edge = std::pair<cudaGraphNode_t, cudaGraphNode_t>;

// Whether all edges are between nodes of the graph, none twice, and each is in the graph, or none.
bool are_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
               std::size_t num_edges, bool in_graph) {
  if (!is_graph(graph) || (num_edges != 0 && (from == nullptr || to == nullptr))) return false;
  std::set<Edge> named;
  for (std::size_t i = 0; i < num_edges; ++i) {
    if (!contains(graph, from[i]) || !contains(graph, to[i]) || from[i] == to[i]) return false;
    const std::vector<cudaGraphNode_t>& before = to[i]->dependencies;
    const bool is_there = std::find(before.begin(), before.end(), from[i]) != before.end();
    if (is_there != in_graph || !named.emplace(from[i], to[i]).second) return false;
  }
  return true;
}

void drop_edge(cudaGraphNode_t from, CUgraphNode_st& to) {
  std::vector<cudaGraphNode_t>& before = to.dependencies;
  before.erase(std::remove(before.begin(), before.end(), from), before.end());
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph, bool only_roots) {
  std::vector<cudaGraphNode_t> found;
  for (const auto& node : graph->nodes) {
    if (!only_roots || node->dependencies.empty()) found.push_back(node.get());
  }
  return found;
}

}  // namespace

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t num_dependencies) {
  RUNTIME_CALL;
  if (!are_edges(graph, from, to, num_dependencies, false)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < num_dependencies; ++i) to[i]->dependencies.push_back(from[i]);
  graph->order.clear();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t num_dependencies) {
  RUNTIME_CALL;
  if (!are_edges(graph, from, to, num_dependencies, true)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < num_dependencies; ++i) drop_edge(from[i], *to[i]);
  graph->order.clear();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  RUNTIME_CALL;
  if (!is_node(node) || !is_graph(node->graph)) return set_last_error(cudaErrorInvalidValue);
  CUgraph_st& graph = *node->graph;
  for (const auto& other : graph.nodes) drop_edge(node, *other);
  const auto place = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const auto& other) { return other.get() == node; });
  forget_node(node);
  graph.nodes.erase(place);
  graph.order.clear();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* num_nodes) {
  RUNTIME_CALL;
  if (!is_graph(graph)) return set_last_error(cudaErrorInvalidValue);
  return give_nodes(nodes_of(graph, false), nodes, num_nodes);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                  std::size_t* num_nodes) {
  RUNTIME_CALL;
  if (!is_graph(graph)) return set_last_error(cudaErrorInvalidValue);
  return give_nodes(nodes_of(graph, true), nodes, num_nodes);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* num_edges) {
  RUNTIME_CALL;
  if (!is_graph(graph) || num_edges == nullptr || (from == nullptr) != (to == nullptr)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  std::vector<cudaGraphNode_t> sources, targets;
  for (const auto& node : graph->nodes) {
    for (const cudaGraphNode_t before : node->dependencies) {
      sources.push_back(before);
      targets.push_back(node.get());
    }
  }
  for (std::size_t i = 0; data != nullptr && i < *num_edges; ++i) data[i] = {};
  std::size_t room = *num_edges;
  give_nodes(sources, from, &room);
  return give_nodes(targets, to, num_edges);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, std::size_t* num_nodes) {
  RUNTIME_CALL;
  if (!is_node(node)) return set_last_error(cudaErrorInvalidValue);
  for (std::size_t i = 0; data != nullptr && num_nodes != nullptr && i < *num_nodes; ++i) {
    data[i] = {};
  }
  return give_nodes(node->dependencies, nodes, num_nodes);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, std::size_t* num_nodes) {
  RUNTIME_CALL;
  if (!is_node(node)) return set_last_error(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> found;
  for (const auto& other : node->graph->nodes) {
    const std::vector<cudaGraphNode_t>& before = other->dependencies;
    if (std::find(before.begin(), before.end(), node) != before.end()) found.push_back(other.get());
  }
  for (std::size_t i = 0; data != nullptr && num_nodes != nullptr && i < *num_nodes; ++i) {
    data[i] = {};
  }
  return give_nodes(found, nodes, num_nodes);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  RUNTIME_CALL;
  if (!is_node(node) || type == nullptr) return set_last_error(cudaErrorInvalidValue);
  *type = node->type;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  RUNTIME_CALL;
  const auto* const child =
      is_node(node) ? std::get_if<std::shared_ptr<CUgraph_st>>(&node->work) : nullptr;
  if (child == nullptr || graph == nullptr) return set_last_error(cudaErrorInvalidValue);
  (*child)->belongs_to_node = true;
  enter_graph(child->get());
  *graph = child->get();
  return set_last_error(cudaSuccess);
}
