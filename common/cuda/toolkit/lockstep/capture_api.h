// SPDX-License-Identifier: MIT
// Capturing: what is issued to a stream becomes nodes of a graph, and does not run. Another stream
// joins by waiting for an event that was recorded in the capture, and has to be joined back before
// its end.
#pragma once

#include <cstddef>

#include "lockstep/graph_nodes.h"
#include "lockstep/stream_api.h"

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies = 0,
  cudaStreamSetCaptureDependencies = 1,
};

// cudaErrorStreamCaptureUnsupported for the legacy default stream, cudaErrorIllegalState for a
// stream that is capturing.
LOCKSTEP_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
LOCKSTEP_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                       const cudaGraphNode_t* dependencies,
                                                       const cudaGraphEdgeData* dependency_data,
                                                       std::size_t num_dependencies,
                                                       cudaStreamCaptureMode mode);
// cudaErrorStreamCaptureUnmatched for a stream that did not begin the capture, ...Unjoined if
// another one was not joined back, ...Invalidated after a forbidden call: then *graph is null.
// `graph` may be null for a capture into a given graph.
LOCKSTEP_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
LOCKSTEP_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                               cudaStreamCaptureStatus* status);
LOCKSTEP_API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
    cudaGraph_t* graph = nullptr, const cudaGraphNode_t** dependencies = nullptr,
    const cudaGraphEdgeData** data = nullptr, std::size_t* num_dependencies = nullptr);
LOCKSTEP_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                             cudaGraphNode_t* dependencies,
                                                             const cudaGraphEdgeData* data,
                                                             std::size_t num_dependencies,
                                                             unsigned int flags = 0);
LOCKSTEP_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);

// As CUDA 12 had them.
inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                               unsigned long long* id = nullptr,
                                               cudaGraph_t* graph = nullptr,
                                               const cudaGraphNode_t** dependencies = nullptr,
                                               std::size_t* num_dependencies = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr,
                                  num_dependencies);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                       cudaGraphNode_t* dependencies,
                                                       std::size_t num_dependencies,
                                                       unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, num_dependencies,
                                             flags);
}
