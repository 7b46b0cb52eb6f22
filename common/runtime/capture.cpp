// SPDX-License-Identifier: MIT
#include "capture.h"

#include <pthread.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "call.h"
#include "error_state.h"
#include "stream.h"

namespace runtime {
namespace {

struct Capture {
  unsigned long long id;
  cudaStreamCaptureMode mode;
  pthread_t owner;
  cudaStream_t origin;
  cudaGraph_t graph;
  bool makes_graph;  // it was not given one
  bool is_invalid = false;
  // For each stream of the capture the nodes that its next one depends on.
  std::map<cudaStream_t, std::vector<cudaGraphNode_t>> last = {};
};

struct Captures {
  unsigned long long num_begun = 0;
  std::map<unsigned long long, std::unique_ptr<Capture>> active;
  std::map<cudaStream_t, Capture*> of_streams;
};

Captures& captures() {
  static auto* const all = new Captures;  // outlives all users
  return *all;
}

// The thread's mode plus one: a variable of the thread without an initial value would be shared
// memory of kernels.
thread_local int t_mode_number = cudaStreamCaptureModeGlobal + 1;

cudaStreamCaptureMode thread_mode() {
  return static_cast<cudaStreamCaptureMode>(t_mode_number - 1);
}

Capture* capture_of(cudaStream_t stream) {
  const auto found = captures().of_streams.find(stream);
  return found == captures().of_streams.end() ? nullptr : found->second;
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

bool waits_for_legacy(cudaStream_t stream) {
  unsigned flags = 0;
  cudaStreamGetFlags(stream, &flags);
  return (flags & cudaStreamNonBlocking) == 0;
}

// A capture whose mode forbids what its own thread, or any, calls.
bool forbids(const Capture& capture) {
  if (capture.mode == cudaStreamCaptureModeRelaxed ||
      thread_mode() == cudaStreamCaptureModeRelaxed) {
    return false;
  }
  const bool is_own = pthread_equal(capture.owner, pthread_self()) != 0;
  return is_own || (capture.mode == cudaStreamCaptureModeGlobal &&
                    thread_mode() == cudaStreamCaptureModeGlobal);
}

void end(Capture& capture) {
  auto& of_streams = captures().of_streams;
  for (auto entry = of_streams.begin(); entry != of_streams.end();) {
    entry = entry->second == &capture ? of_streams.erase(entry) : std::next(entry);
  }
  captures().active.erase(capture.id);
}

// Whether each last node of other streams has a follower in the stream where the capture began.
bool is_joined(const Capture& capture) {
  std::set<cudaGraphNode_t> reached;
  std::vector<cudaGraphNode_t> next = capture.last.at(capture.origin);
  while (!next.empty()) {
    const cudaGraphNode_t node = next.back();
    next.pop_back();
    if (!reached.insert(node).second) continue;
    next.insert(next.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(capture.last.begin(), capture.last.end(), [&](const auto& stream) {
    return std::all_of(stream.second.begin(), stream.second.end(),
                       [&](cudaGraphNode_t node) { return reached.count(node) != 0; });
  });
}

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode, cudaGraph_t graph,
                  std::vector<cudaGraphNode_t> last) {
  if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
  if (capture_of(stream) != nullptr) return cudaErrorIllegalState;
  const bool makes_graph = graph == nullptr;
  if (makes_graph) cudaGraphCreate(&graph, 0);
  const unsigned long long id = ++captures().num_begun;
  auto& capture = captures().active[id];
  capture.reset(new Capture{id, mode, pthread_self(), stream, graph, makes_graph});
  capture->last[stream] = std::move(last);
  captures().of_streams[stream] = capture.get();
  return cudaSuccess;
}

cudaError_t finish(cudaStream_t stream, cudaGraph_t* graph) {
  Capture* const capture = capture_of(stream);
  if (capture == nullptr) return cudaErrorIllegalState;
  if (graph == nullptr && capture->makes_graph) return cudaErrorInvalidValue;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      pthread_equal(capture->owner, pthread_self()) == 0) {
    return cudaErrorStreamCaptureWrongThread;
  }
  cudaError_t error = cudaSuccess;
  if (capture->is_invalid) {
    error = cudaErrorStreamCaptureInvalidated;
  } else if (!is_joined(*capture)) {
    error = cudaErrorStreamCaptureUnjoined;
  }
  if (error == cudaSuccess) {
    if (graph != nullptr) *graph = capture->graph;
  } else if (capture->makes_graph) {
    cudaGraphDestroy(capture->graph);
  }
  end(*capture);
  return error;
}

cudaError_t add(cudaStream_t stream, cudaGraphNodeType type, NodeWork work, StreamWork captured) {
  Capture& capture = *capture_of(stream);
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  std::vector<cudaGraphNode_t>& last = capture.last[stream];
  cudaGraphNode_t node = nullptr;
  const cudaError_t error =
      add_node(capture.graph, last.data(), last.size(), type, std::move(work), &node);
  if (error != cudaSuccess) return error;
  node->captured = std::move(captured);
  last = {node};
  return cudaSuccess;
}

}  // namespace

cudaError_t capture_work(cudaStream_t stream, cudaGraphNodeType type, NodeWork like,
                         StreamWork work) {
  return set_last_error(add(stream, type, std::move(like), std::move(work)));
}

cudaError_t capture_graph(cudaStream_t stream, const CUgraph_st& graph) {
  return set_last_error(add(stream, cudaGraphNodeTypeGraph, clone(graph), {}));
}

cudaError_t capture_allocation(cudaStream_t stream, std::size_t size_bytes, void** pointer) {
  if (pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pointer = take_address(size_bytes);
  if (*pointer == nullptr) return set_last_error(cudaErrorMemoryAllocation);
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = size_bytes;
  memory.dptr = *pointer;
  return set_last_error(add(stream, cudaGraphNodeTypeMemAlloc, memory, {}));
}

cudaError_t capture_free(cudaStream_t stream, void* pointer) {
  return set_last_error(add(stream, cudaGraphNodeTypeMemFree, cudaMemFreeNodeParams{pointer}, {}));
}

CapturedPoint capture_point(cudaStream_t stream) {
  const Capture* const capture = capture_of(stream);
  if (capture == nullptr) return {};
  return {capture->id, capture->last.at(stream)};
}

cudaError_t capture_wait(cudaStream_t stream, const CapturedPoint& point) {
  Capture* const own = capture_of(stream);
  const auto found = captures().active.find(point.capture);
  Capture* const of_event = found == captures().active.end() ? nullptr : found->second.get();
  if (of_event == nullptr) {  // recorded outside, or in a capture that has ended
    if (own != nullptr) own->is_invalid = true;
    return own != nullptr ? cudaErrorStreamCaptureIsolation : cudaErrorCapturedEvent;
  }
  if (own != nullptr && own != of_event) {
    own->is_invalid = of_event->is_invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (is_legacy(stream)) {
    of_event->is_invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  captures().of_streams[stream] = of_event;
  std::vector<cudaGraphNode_t>& last = of_event->last[stream];
  for (const cudaGraphNode_t node : point.nodes) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return cudaSuccess;
}

cudaError_t check_uncaptured() {
  bool is_forbidden = false;
  for (const auto& [id, capture] : captures().active) {
    if (!forbids(*capture)) continue;
    capture->is_invalid = is_forbidden = true;
  }
  return is_forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t check_uncaptured(cudaStream_t stream) {
  if (Capture* const capture = capture_of(stream); capture != nullptr) {
    capture->is_invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return check_legacy_stream(stream);
}

void leave_capture(cudaStream_t stream) {
  Capture* const capture = capture_of(stream);
  if (capture == nullptr) return;
  if (capture->origin == stream) {
    if (capture->makes_graph) cudaGraphDestroy(capture->graph);
    end(*capture);
  } else {
    captures().of_streams.erase(stream);
  }
}

bool is_capturing(cudaStream_t stream) { return capture_of(stream) != nullptr; }

cudaError_t capture_kernel(const Kernel& kernel, const LaunchConfig& config,
                           const std::string& parameters) {
  return add(config.stream, cudaGraphNodeTypeKernel,
             KernelWork{kernel.host_function, &kernel, config, parameters}, {});
}

cudaError_t check_legacy_stream(cudaStream_t stream) {
  if (captures().active.empty() || !is_legacy(stream)) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (const auto& [capturing, capture] : captures().of_streams) {
    if (!waits_for_legacy(capturing)) continue;
    capture->is_invalid = true;
    error = cudaErrorStreamCaptureImplicit;
  }
  return error;
}

}  // namespace runtime

using namespace runtime;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  RUNTIME_CALL;
  return set_last_error(begin(stream, mode, nullptr, {}));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, std::size_t num_dependencies,
                                          cudaStreamCaptureMode mode) {
  RUNTIME_CALL;
  if (!is_graph(graph) || (dependencies == nullptr && num_dependencies != 0)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return set_last_error(
      begin(stream, mode, graph, {dependencies, dependencies + num_dependencies}));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  RUNTIME_CALL;
  if (graph != nullptr) *graph = nullptr;
  if (!is_valid_stream(stream)) return set_handle_error(false);
  return set_last_error(finish(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  RUNTIME_CALL;
  return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** data,
                                     std::size_t* num_dependencies) {
  RUNTIME_CALL;
  if (status == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (!is_valid_stream(stream)) return set_handle_error(false);
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  Capture* const capture = capture_of(stream);
  *status = cudaStreamCaptureStatusNone;
  if (data != nullptr) *data = nullptr;
  if (capture == nullptr) return set_last_error(cudaSuccess);
  *status =
      capture->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  const std::vector<cudaGraphNode_t>& last = capture->last.at(stream);
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph;
  if (dependencies != nullptr) *dependencies = last.data();
  if (num_dependencies != nullptr) *num_dependencies = last.size();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*,
                                                std::size_t num_dependencies, unsigned int flags) {
  RUNTIME_CALL;
  if (!is_valid_stream(stream)) return set_handle_error(false);
  Capture* const capture = capture_of(stream);
  if (capture == nullptr) return set_last_error(cudaErrorIllegalState);
  const bool is_named = num_dependencies == 0 || dependencies != nullptr;
  if (!is_named || flags > cudaStreamSetCaptureDependencies) {
    return set_last_error(cudaErrorInvalidValue);
  }
  std::vector<cudaGraphNode_t>& last = capture->last[stream];
  if (flags == cudaStreamSetCaptureDependencies) last.clear();
  last.insert(last.end(), dependencies, dependencies + num_dependencies);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  RUNTIME_CALL;
  if (mode == nullptr || *mode > cudaStreamCaptureModeRelaxed) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const cudaStreamCaptureMode before = thread_mode();
  t_mode_number = *mode + 1;
  *mode = before;
  return set_last_error(cudaSuccess);
}
