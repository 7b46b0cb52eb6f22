// SPDX-License-Identifier: MIT
// Streams that capture: what they are given becomes nodes of a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "graph.h"

namespace runtime {

bool is_capturing(cudaStream_t stream);

// A kernel and its arguments become a node.
cudaError_t capture_kernel(const Kernel& kernel, const LaunchConfig& config,
                           const std::string& parameters);

// A call of the legacy default stream, which no stream that waits for it may see while it captures.
cudaError_t check_legacy_stream(cudaStream_t stream);

// Adds a node that does what `work` does. `like` describes it to a program that asks.
cudaError_t capture_work(cudaStream_t stream, cudaGraphNodeType type, NodeWork like,
                         StreamWork work);
cudaError_t capture_graph(cudaStream_t stream, const CUgraph_st& graph);

// Memory that a capture allocates, or frees.
cudaError_t capture_allocation(cudaStream_t stream, std::size_t size_bytes, void** pointer);
cudaError_t capture_free(cudaStream_t stream, void* pointer);

// What an event that was recorded in a capture stands for.
struct CapturedPoint {
  unsigned long long capture = 0;  // 0: it was not
  std::vector<cudaGraphNode_t> nodes;
};
CapturedPoint capture_point(cudaStream_t stream);
// The stream waits for a captured event, and becomes a part of the capture.
cudaError_t capture_wait(cudaStream_t stream, const CapturedPoint& point);

// A call that no capture may see: it is cudaErrorStreamCaptureUnsupported while there is one that
// forbids it, and ends that. `stream`: a call about this stream alone.
cudaError_t check_uncaptured();
cudaError_t check_uncaptured(cudaStream_t stream);

// The stream is destroyed.
void leave_capture(cudaStream_t stream);

}  // namespace runtime
