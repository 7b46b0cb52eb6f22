// SPDX-License-Identifier: MIT
// Kernels: what clang's code for <<<>>> calls, and the launch functions of the API.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "client.h"
#include "registry.h"

namespace runtime {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  const void* caller;
};
thread_local std::vector<Configuration> g_configurations;
thread_local const void* g_launch_caller = nullptr;  // of the configuration that was popped last

std::string shape(dim3 size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

// A number of threads or blocks that no GPU takes; empty if it is something else.
std::string impossible_shape(dim3 grid, dim3 block) {
  const std::uint64_t num_threads = std::uint64_t{block.x} * block.y * block.z;
  if (num_threads > 1024) {
    return " with blocks of " + shape(block) + " = " + std::to_string(num_threads) +
           " threads (at most 1024)";
  }
  const bool is_empty = grid.x == 0 || grid.y == 0 || grid.z == 0;
  if (is_empty || grid.y > 65535 || grid.z > 65535 || grid.x > 2147483647) {
    return " with a grid of " + shape(grid) + " blocks" +
           (is_empty
                ? " (at least 1 in each direction: round a division up, and launch nothing for 0 "
                  "items)"
                : "");
  }
  if (num_threads == 0 || block.z > 64) return " with blocks of " + shape(block) + " threads";
  return "";
}

struct Launch {
  dim3 grid, block;
  dim3 cluster = {1, 1, 1};
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool is_cooperative = false;
};

cudaError_t launch(const void* host_function, const Launch& wanted, void** arguments,
                   const serve::Place& place) {
  const Kernel* const kernel = find_kernel(host_function);
  if (kernel == nullptr) {
    return finish(cudaErrorInvalidDeviceFunction, "the launch of what is no kernel", place);
  }
  std::string parameters(kernel->parameter_bytes, '\0');
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    std::memcpy(parameters.data() + kernel->parameters[i].offset, arguments[i],
                kernel->parameters[i].size_bytes);
  }
  serve::Request request;
  request.place = place;
  request.function = kernel->number;
  request.grid = {wanted.grid.x, wanted.grid.y, wanted.grid.z};
  request.block = {wanted.block.x, wanted.block.y, wanted.block.z};
  request.cluster = {wanted.cluster.x, wanted.cluster.y, wanted.cluster.z};
  request.shared_bytes = wanted.shared_bytes;
  request.stream = stream_number(wanted.stream);
  request.flags = wanted.is_cooperative ? serve::kCooperative : 0;
  const cudaError_t error = Client::get().call(serve::Command::kLaunch, request, parameters);
  return finish(error,
                "the launch of " + kernel->name + impossible_shape(wanted.grid, wanted.block),
                place, kernel->name);
}

}  // namespace

const void* launch_caller(const void* return_address) {
  const void* const caller = g_launch_caller;
  g_launch_caller = nullptr;
  return caller != nullptr ? caller : return_address;
}

}  // namespace runtime

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     CUstream_st* stream) {
  runtime::g_configurations.push_back(
      {grid, block, shared_bytes, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (runtime::g_configurations.empty()) return cudaErrorInvalidConfiguration;
  const runtime::Configuration last = runtime::g_configurations.back();
  runtime::g_configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  runtime::g_launch_caller = last.caller;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  const serve::Place place = runtime::place_of(runtime::launch_caller(__builtin_return_address(0)));
  return runtime::launch(kernel, {grid, block, {1, 1, 1}, shared_bytes, stream, false}, arguments,
                         place);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return runtime::launch(kernel, {grid, block, {1, 1, 1}, shared_bytes, stream, true}, arguments,
                         RUNTIME_PLACE);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  const serve::Place place = RUNTIME_PLACE;
  if (config == nullptr)
    return runtime::finish(cudaErrorInvalidValue, "cudaLaunchKernelExC", place);
  runtime::Launch wanted = {config->gridDim,          config->blockDim, {1, 1, 1},
                            config->dynamicSmemBytes, config->stream,   false};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) {
      wanted.is_cooperative = attribute.val.cooperative != 0;
    }
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      wanted.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y,
                        attribute.val.clusterDim.z};
    }
  }
  return runtime::launch(kernel, wanted, arguments, place);
}

}  // extern "C"
