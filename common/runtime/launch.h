// SPDX-License-Identifier: MIT
// Launches of kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "registry.h"

namespace runtime {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  dim3 cluster = {1, 1, 1};
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool is_cooperative = false;
};

// The kernel's parameters as the device takes them. `arguments`: a pointer to each.
std::string pack_parameters(const Kernel& kernel, void** arguments);

// Checks the launch against the device's limits and runs it to its end, or until it waits for the
// host. Behind a kernel that waits it runs later; a stream that captures takes it as a node.
cudaError_t launch(const Kernel& kernel, const LaunchConfig& config, const std::string& parameters);
// The same errors, without a launch.
cudaError_t check_launch(const Kernel& kernel, const LaunchConfig& config);

}  // namespace runtime
