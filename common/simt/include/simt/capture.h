// SPDX-License-Identifier: MIT
// What a launch asks about captures.
#pragma once

#include "simt/error.h"
#include "simt/launch.h"
#include "simt/stream.h"

namespace simt {

// Whether work that is issued to the stream becomes a node of a graph.
bool is_capturing(cudaStream_t stream);

// Adds a kernel node, and takes over the kernel and its arguments. `stream` is config.stream.
cudaError_t capture_kernel(const LaunchSite& site, const LaunchConfig& config,
                           const detail::Closure& closure);

// cudaErrorStreamCaptureImplicit for work of the legacy default stream while a stream captures that
// waits for it. That capture is invalid from now on.
cudaError_t check_legacy_stream(cudaStream_t stream);

}  // namespace simt
