// SPDX-License-Identifier: MIT
#include "hooks/nested_launch.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "run/part.h"
#include "run/running.h"
#include "simt/closure.h"
#include "simt/stream_api.h"

namespace simt {
namespace device {
namespace {

constexpr int kMaxDepth = 24;  // as of a device

bool g_may_nest = false;
int g_depth = 0;                      // of the kernel that runs, or ran last
std::deque<NestedLaunch> g_launched;  // by that kernel
std::deque<NestedLaunch> g_to_run;    // in this order
bool g_is_running_nested = false;

bool is_tail(const NestedLaunch& nested) { return nested.config.stream == cudaStreamTailLaunch; }

}  // namespace

bool may_nest() { return g_may_nest; }

bool is_stream_of_kernels(cudaStream_t stream) {
  return running.launch != nullptr &&
         (stream == cudaStreamTailLaunch || stream == cudaStreamFireAndForget);
}

cudaError_t launch_nested(NestedLaunch nested) {
  require_whole_launch();
  // A tail launch takes its kernel's place: a kernel may go on so for as long as it likes.
  nested.depth = is_tail(nested) ? g_depth : g_depth + 1;
  if (nested.depth > kMaxDepth) return cudaErrorLaunchMaxDepthExceeded;
  nested.closure.object = detail::keep(nested.closure);
  g_launched.push_back(nested);
  return cudaSuccess;
}

void run_nested(const Launch& parent) {
  std::deque<NestedLaunch> launched = std::exchange(g_launched, {});
  std::stable_partition(launched.begin(), launched.end(), std::not_fn(is_tail));
  for (NestedLaunch& nested : launched) {
    // In the parent's stream: whatever comes after that kernel comes after those, too.
    nested.config.stream = parent.config.stream;
  }
  if (parent.fault) {
    for (const NestedLaunch& nested : launched) detail::drop(nested.closure);
    launched.clear();
  }
  g_to_run.insert(g_to_run.begin(), launched.begin(), launched.end());
  if (std::exchange(g_is_running_nested, true)) return;
  while (!g_to_run.empty()) {
    const NestedLaunch nested = g_to_run.front();
    g_to_run.pop_front();
    g_depth = nested.depth;
    start_kept(nested);
    detail::drop(nested.closure);
  }
  g_depth = 0;
  g_is_running_nested = false;
}

}  // namespace device

void allow_nested_launches(bool allowed) { device::g_may_nest = allowed; }

}  // namespace simt
