// SPDX-License-Identifier: MIT
// Graphs as they are launched. Nodes run one after another in an order that their edges allow. Each
// path of nodes goes to a stream of its own, so that the race checker sees what the edges order.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "call.h"
#include "error_state.h"
#include "graph.h"
#include "stream.h"

namespace runtime {
namespace {

// More paths than these share streams: then some nodes count as ordered that are not.
constexpr std::size_t kMaxLanes = 16;

// The streams of a launch's paths. A nested graph takes those behind.
std::vector<cudaStream_t>& lanes() {
  static auto* const all = new std::vector<cudaStream_t>;  // outlives all users
  return *all;
}

class Paths {
 public:
  explicit Paths(cudaStream_t launched_into)
      : begin_(record_clock(launched_into)), streams_{launched_into} {}

  // The stream on which a node runs: that of a dependency that no other node has followed yet, or
  // another.
  cudaStream_t stream_for(const CUgraphNode_st& node) {
    const std::size_t index = index_for(node);
    const cudaStream_t stream = streams_[index];
    stream_waits_for(stream, begin_);
    for (const cudaGraphNode_t before : node.dependencies) {
      stream_waits_for(stream, done_.at(before));
    }
    last_[index] = &node;
    return stream;
  }

  void end(cudaGraphNode_t node, cudaStream_t stream) { done_[node] = record_clock(stream); }

  void join() {
    for (const auto& [node, work] : done_) stream_waits_for(streams_.front(), work);
  }

  ~Paths() {
    g_used -= streams_.size() - 1;
    drop_clock(begin_);
    for (const auto& [node, work] : done_) drop_clock(work);
  }
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;

 private:
  std::size_t index_for(const CUgraphNode_st& node) {
    for (const auto& [index, last] : last_) {
      const auto& before = node.dependencies;
      if (std::find(before.begin(), before.end(), last) != before.end()) return index;
    }
    if (last_.empty()) return 0;
    if (streams_.size() >= kMaxLanes) return ++num_shared_ % streams_.size();
    if (g_used == lanes().size()) {
      cudaStream_t made = nullptr;
      make_stream(&made, cudaStreamNonBlocking, 0, {});
      lanes().push_back(made);
    }
    streams_.push_back(lanes()[g_used++]);
    return streams_.size() - 1;
  }

  static std::size_t g_used;

  std::uint64_t begin_;
  std::vector<cudaStream_t> streams_;
  std::map<std::size_t, const CUgraphNode_st*> last_;  // by stream
  std::map<cudaGraphNode_t, std::uint64_t> done_;
  std::size_t num_shared_ = 0;
};

std::size_t Paths::g_used = 0;

struct Runner {
  cudaStream_t stream;
  cudaGraphNodeType type;

  cudaError_t operator()(std::monostate) const { return cudaSuccess; }

  cudaError_t operator()(const KernelWork& work) const {
    LaunchConfig config = work.config;
    config.stream = stream;
    return launch(*work.kernel, config, work.parameters);
  }

  cudaError_t operator()(const cudaMemcpy3DParms& copy) const {
    return cudaMemcpy3DAsync(&copy, stream);
  }

  cudaError_t operator()(const cudaMemsetParams& fill) const { return fill_elements(fill, stream); }

  cudaError_t operator()(const cudaHostNodeParams& call) const {
    return cudaLaunchHostFunc(stream, call.fn, call.userData);
  }

  cudaError_t operator()(const std::shared_ptr<CUgraph_st>& child) const {
    return run(*child, stream);
  }

  cudaError_t operator()(cudaEvent_t event) const {
    return type == cudaGraphNodeTypeEventRecord ? cudaEventRecord(event, stream)
                                                : cudaStreamWaitEvent(stream, event);
  }

  cudaError_t operator()(const cudaMemAllocNodeParams& memory) const { return take(memory); }

  cudaError_t operator()(const cudaMemFreeNodeParams& memory) const { return give_back(memory); }

  cudaError_t operator()(const std::shared_ptr<ConditionWork>& work) const {
    const cudaConditionalNodeParams& parameters = work->parameters;
    const auto value = [&] { return condition(parameters.handle); };
    if (parameters.type == cudaGraphCondTypeWhile) {
      cudaError_t error = cudaSuccess;
      while (error == cudaSuccess && value() != 0) error = run(*work->bodies.front(), stream);
      return error;
    }
    const std::size_t chosen =
        parameters.type == cudaGraphCondTypeSwitch ? value() : std::size_t{value() == 0};
    return chosen < work->bodies.size() ? run(*work->bodies[chosen], stream) : cudaSuccess;
  }
};

// Dependencies first (Kahn 1962); nodes that could come next in the order in which they were added.
std::vector<cudaGraphNode_t> ordered(const CUgraph_st& graph) {
  std::map<cudaGraphNode_t, std::size_t> place;
  std::map<cudaGraphNode_t, std::vector<cudaGraphNode_t>> behind;
  std::map<cudaGraphNode_t, std::size_t> num_missing;
  std::set<std::pair<std::size_t, cudaGraphNode_t>> ready;
  for (const auto& node : graph.nodes) {
    place.emplace(node.get(), place.size());
    num_missing[node.get()] = node->dependencies.size();
    for (const cudaGraphNode_t before : node->dependencies) behind[before].push_back(node.get());
  }
  for (const auto& node : graph.nodes) {
    if (node->dependencies.empty()) ready.emplace(place[node.get()], node.get());
  }
  std::vector<cudaGraphNode_t> order;
  while (!ready.empty()) {
    const cudaGraphNode_t node = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(node);
    for (const cudaGraphNode_t next : behind[node]) {
      if (--num_missing[next] == 0) ready.emplace(place[next], next);
    }
  }
  return order;
}

}  // namespace

bool can_be_ordered(CUgraph_st& graph) {
  if (graph.order.empty()) graph.order = ordered(graph);
  return graph.order.size() == graph.nodes.size();
}

cudaError_t run(CUgraph_st& graph, cudaStream_t stream) {
  if (!can_be_ordered(graph)) return cudaErrorInvalidValue;
  Paths paths(stream);
  cudaError_t error = cudaSuccess;
  for (const cudaGraphNode_t node : graph.order) {
    const cudaStream_t own = paths.stream_for(*node);
    if (node->is_enabled && error == cudaSuccess) {
      error = node->captured ? node->captured(own)
                             : std::visit(Runner{own, node->type}, std::as_const(node->work));
    }
    paths.end(node, own);
  }
  paths.join();
  return error;
}

}  // namespace runtime
