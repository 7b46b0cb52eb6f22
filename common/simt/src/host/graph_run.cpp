// SPDX-License-Identifier: MIT
// Graphs as they are launched. Nodes run one after another in an order that their edges allow. Each
// path of nodes goes to a stream of its own, so that the race checker sees what the edges order.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "capture.h"
#include "graph.h"
#include "run/device_lock.h"
#include "run/stream_order.h"
#include "simt/error_state.h"
#include "simt/memory.h"

namespace simt::internal {
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
      : begin_(record_event(launched_into)), streams_{launched_into} {}

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

  void end(cudaGraphNode_t node, cudaStream_t stream) { done_[node] = record_event(stream); }

  void join() {
    for (const auto& [node, work] : done_) stream_waits_for(streams_.front(), work);
  }

  ~Paths() { g_used -= streams_.size() - 1; }
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
      cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
      lanes().push_back(made);
    }
    streams_.push_back(lanes()[g_used++]);
    return streams_.size() - 1;
  }

  static std::size_t g_used;

  StreamClock begin_;
  std::vector<cudaStream_t> streams_;
  std::map<std::size_t, const CUgraphNode_st*> last_;  // by stream
  std::map<cudaGraphNode_t, StreamClock> done_;
  std::size_t num_shared_ = 0;
};

std::size_t Paths::g_used = 0;

bool is_live(const void* pointer) {
  const Allocation* const found = find_allocation(pointer);
  return found != nullptr && found->live && found->base == pointer;
}

// Where graphs' allocations begin, whether they are live or not.
std::set<const void*>& graph_memory() {
  static auto* const all = new std::set<const void*>;  // outlives all users
  return *all;
}

unsigned long long live_memory() {
  unsigned long long bytes = 0;
  for (const void* const pointer : graph_memory()) {
    if (is_live(pointer)) bytes += find_allocation(pointer)->size_bytes;
  }
  return bytes;
}

unsigned long long& most_memory() {
  static unsigned long long bytes = 0;
  return bytes;
}

struct Runner {
  cudaStream_t stream;
  cudaGraphNodeType type;

  cudaError_t operator()(std::monostate) const { return cudaSuccess; }

  cudaError_t operator()(const KernelWork& work) const {
    LaunchConfig config = work.config;
    config.stream = stream;
    detail::Closure closure = *work.closure;
    closure.keep = closure.copy;  // it stays here for the next launch
    return detail::run_grid(work.site, config, closure);
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

  cudaError_t operator()(const cudaMemAllocNodeParams& memory) const {
    if (is_live(memory.dptr)) return cudaErrorInvalidValue;  // of an earlier launch
    graph_memory().insert(memory.dptr);
    declare_allocation(memory.dptr, memory.bytesize, "a graph's allocation", false,
                       Allocation::Kind::kDevice);
    most_memory() = std::max(most_memory(), live_memory());
    return cudaSuccess;
  }

  cudaError_t operator()(const cudaMemFreeNodeParams& memory) const {
    if (!is_live(memory.dptr)) return cudaErrorInvalidValue;
    retire_allocation(memory.dptr);
    return cudaSuccess;
  }

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

// Memory that an earlier launch has left, of a graph that frees it at the next one.
void free_left(const CUgraph_st& graph) {
  for (const auto& node : graph.nodes) {
    const auto* const memory = std::get_if<cudaMemAllocNodeParams>(&node->work);
    if (memory != nullptr && is_live(memory->dptr)) retire_allocation(memory->dptr);
  }
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

}  // namespace simt::internal

namespace {

using namespace simt::internal;
using simt::set_last_error;

std::set<cudaGraphExec_t>& executables() {
  static auto* const created = new std::set<cudaGraphExec_t>;  // outlives all users
  return *created;
}

bool is_executable(cudaGraphExec_t executable) { return executables().count(executable) != 0; }

// The node of `executable` that was made from `node`; null if there is none.
cudaGraphNode_t same_node(cudaGraphExec_t executable, cudaGraphNode_t node) {
  if (!is_executable(executable)) return nullptr;
  for (const auto& own : executable->graph->nodes) {
    if (own->original == node) return own.get();
  }
  return nullptr;
}

template <class Work>
cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, const Work* parameters) {
  const simt::internal::DeviceLock lock;
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
  const simt::internal::DeviceLock lock;
  constexpr unsigned long long kAllFlags = 15;
  if (executable == nullptr || !is_graph(graph) || flags > kAllFlags) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *executable = nullptr;
  if (!can_be_ordered(*graph)) return set_last_error(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{clone(*graph), graph, flags};
  executables().insert(*executable);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 cudaGraphNode_t* error_node, char* log, std::size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes != 0) *log = '\0';
  return cudaGraphInstantiate(executable, graph);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiate(executable, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (!is_executable(executable)) return set_last_error(cudaErrorInvalidValue);
  return simt::set_handle_error(simt::is_valid_stream(stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (!is_executable(executable)) return set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  if (simt::is_capturing(stream)) return capture_graph(stream, *executable->graph);
  if (const cudaError_t error = simt::check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  if ((executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) {
    free_left(*executable->graph);
  }
  reset_conditions();
  return set_last_error(run(*executable->graph, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const simt::internal::DeviceLock lock;
  if (executables().erase(executable) == 0) return set_last_error(cudaErrorInvalidValue);
  delete executable;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  const simt::internal::DeviceLock lock;
  if (!is_executable(executable) || flags == nullptr) return set_last_error(cudaErrorInvalidValue);
  *flags = executable->flags;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  const simt::internal::DeviceLock lock;
  if (!is_executable(executable) || !is_graph(graph) || result == nullptr) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *result = {};
  result->result = compare(*executable->graph, *graph, &result->errorNode);
  if (result->result != cudaGraphExecUpdateSuccess) {
    return set_last_error(cudaErrorGraphExecUpdateFailure);
  }
  // Later changes name the nodes of the graph that was instantiated.
  const std::shared_ptr<CUgraph_st> updated = clone(*graph);
  for (std::size_t i = 0; i < updated->nodes.size(); ++i) {
    CUgraphNode_st& own = *executable->graph->nodes[i];
    std::swap(own.work, updated->nodes[i]->work);
    own.captured = updated->nodes[i]->captured;
  }
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  const simt::internal::DeviceLock lock;
  KernelWork work = {{}, {1, 1}, {}, nullptr, {}, {}};
  const cudaError_t error = kernel_work(parameters, &work);
  return error == cudaSuccess ? change(executable, node, &work) : set_last_error(error);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* destination, const void* source,
                                               std::size_t size_bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms copy = plain_copy(destination, source, size_bytes, kind);
  return change(executable, node, &copy);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change(executable, node, parameters);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  const simt::internal::DeviceLock lock;
  if (!is_graph(child)) return set_last_error(cudaErrorInvalidValue);
  const std::shared_ptr<CUgraph_st> copy = clone(*child);
  return change(executable, node, &copy);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned int is_enabled) {
  const simt::internal::DeviceLock lock;
  const cudaGraphNode_t own = same_node(executable, node);
  const bool fine = own != nullptr && own->type <= cudaGraphNodeTypeMemset;
  if (!fine) return set_last_error(cudaErrorInvalidValue);
  own->is_enabled = is_enabled != 0;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned int* is_enabled) {
  const simt::internal::DeviceLock lock;
  const cudaGraphNode_t own = same_node(executable, node);
  if (own == nullptr || is_enabled == nullptr) return set_last_error(cudaErrorInvalidValue);
  *is_enabled = own->is_enabled ? 1 : 0;
  return set_last_error(cudaSuccess);
}

// What is reserved is what is used: graphs keep no memory that they have freed.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  const simt::internal::DeviceLock lock;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  if (value == nullptr || attribute > cudaGraphMemAttrReservedMemHigh) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  *static_cast<unsigned long long*>(value) = is_high ? most_memory() : live_memory();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  const simt::internal::DeviceLock lock;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  const bool fine = value != nullptr && is_high && *static_cast<unsigned long long*>(value) == 0;
  if (fine) most_memory() = live_memory();
  return set_last_error(fine ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
