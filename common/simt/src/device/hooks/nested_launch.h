// SPDX-License-Identifier: MIT
// Kernels that a kernel launches. They run after it has ended, in the order of their launches. A
// device may choose this order, too, because the launching kernel cannot wait for their results.
#pragma once

#include "run/launch.h"
#include "simt/launch.h"

namespace simt::device {

struct NestedLaunch {
  LaunchSite site;
  LaunchConfig config;
  detail::Closure closure;  // kept
  int depth = 0;            // how many launches led to it; the host's has 0
};

// Whether kernels may launch kernels: see allow_nested_launches().
bool may_nest();

// Whether it is one of the named streams that exist in kernels alone, and one is running.
bool is_stream_of_kernels(cudaStream_t stream);

// The running kernel launches another. The error of a depth that a device does not have, if so.
cudaError_t launch_nested(NestedLaunch nested);

// `parent` has ended: runs what it has launched, unless it has faulted, and what that launches. If
// `parent` is nested itself, the call that runs it goes on with its launches.
void run_nested(const Launch& parent);

// Like a launch of the host's.
void start_kept(const NestedLaunch& nested);

}  // namespace simt::device
