// SPDX-License-Identifier: MIT
#include "launch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "call.h"
#include "capture.h"
#include "connection.h"
#include "error_state.h"
#include "launch_attributes.h"
#include "stream.h"
#include "waiting.h"

namespace runtime {
namespace {

struct Configuration {
  LaunchConfig config;
  const void* caller;
};
// Of launches that are under way: a launch's arguments may launch, too.
thread_local std::vector<Configuration> t_configurations;
thread_local const void* t_launch_caller = nullptr;  // of the configuration that was popped last

serve::Launch command_of(const Kernel& kernel, const LaunchConfig& config) {
  serve::Launch command;
  command.grid = {config.grid.x, config.grid.y, config.grid.z};
  command.block = {config.block.x, config.block.y, config.block.z};
  command.cluster = {config.cluster.x, config.cluster.y, config.cluster.z};
  command.kernel = kernel.about.kernel;
  command.dynamic_shared_bytes = config.shared_bytes;
  command.stream = is_valid_stream(config.stream) ? stream_number(config.stream) : serve::kNoStream;
  command.is_cooperative = config.is_cooperative ? 1 : 0;
  return command;
}

cudaError_t refuse(cudaError_t error, const std::string& what, const Kernel& kernel) {
  error = set_last_error(error);
  explain_last_error(what, kernel.name);
  return error;
}

cudaError_t start(const Kernel& kernel, const LaunchConfig& config, const std::string& parameters,
                  const serve::Place& at) {
  serve::Launch command = command_of(kernel, config);
  command.parameter_bytes = static_cast<std::uint32_t>(parameters.size());
  command.at = at;
  const auto asked = ask(command, parameters);
  if (asked.error == cudaSuccess) return cudaSuccess;
  return refuse(asked.error, std::string(asked.tail), kernel);
}

cudaError_t launch_function(const void* function, const LaunchConfig& config, void** arguments) {
  const Kernel* const kernel = find_kernel(function);
  if (kernel == nullptr) return set_last_error(cudaErrorInvalidDeviceFunction);
  return launch(*kernel, config, pack_parameters(*kernel, arguments));
}

}  // namespace

std::string pack_parameters(const Kernel& kernel, void** arguments) {
  std::string parameters(kernel.about.parameter_bytes, '\0');
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const serve::ParameterPlace& place = kernel.parameters[i];
    std::memcpy(parameters.data() + place.offset, arguments[i], place.size_bytes);
  }
  return parameters;
}

cudaError_t check_launch(const Kernel& kernel, const LaunchConfig& config) {
  serve::Launch command = command_of(kernel, config);
  command.checks_only = 1;
  return ask(command).error;
}

cudaError_t launch(const Kernel& kernel, const LaunchConfig& config,
                   const std::string& parameters) {
  if (is_valid_stream(config.stream)) {
    if (const cudaError_t error = check_legacy_stream(config.stream); error != cudaSuccess) {
      return refuse(error, "the launch of " + kernel.name, kernel);
    }
    if (is_capturing(config.stream)) {
      serve::Launch command = command_of(kernel, config);
      command.checks_only = 1;
      const auto asked = ask(command);
      if (asked.error != cudaSuccess) {
        return refuse(asked.error, std::string(asked.tail), kernel);
      }
      return set_last_error(capture_kernel(kernel, config, parameters));
    }
    if (is_behind_waiting(config.stream)) {
      if (const cudaError_t error = check_launch(kernel, config); error != cudaSuccess) {
        return refuse(error, "the launch of " + kernel.name, kernel);
      }
      run_behind_waiting([&kernel, config, parameters, at = caller_place()] {
        start(kernel, config, parameters, at);
      });
      return cudaSuccess;
    }
    finish_waiting();  // one kernel at a time
  }
  return start(kernel, config, parameters, caller_place());
}

}  // namespace runtime

using namespace runtime;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                         CUstream_st* stream) {
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.shared_bytes = shared_bytes;
  config.stream = stream;
  t_configurations.push_back({config, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (t_configurations.empty()) return set_last_error(cudaErrorInvalidConfiguration);
  const Configuration last = t_configurations.back();
  t_configurations.pop_back();
  *grid = last.config.grid;
  *block = last.config.block;
  *shared_bytes = last.config.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.config.stream;
  t_launch_caller = last.caller;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  RUNTIME_CALL;
  if (t_launch_caller != nullptr) set_caller(std::exchange(t_launch_caller, nullptr));
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.shared_bytes = shared_bytes;
  config.stream = stream;
  return launch_function(kernel, config, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  RUNTIME_CALL;
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.shared_bytes = shared_bytes;
  config.stream = stream;
  config.is_cooperative = true;
  return launch_function(kernel, config, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* wanted, const void* kernel,
                                void** arguments) {
  RUNTIME_CALL;
  if (wanted == nullptr) return set_last_error(cudaErrorInvalidValue);
  LaunchConfig config;
  config.grid = wanted->gridDim;
  config.block = wanted->blockDim;
  config.shared_bytes = wanted->dynamicSmemBytes;
  config.stream = wanted->stream;
  if (const cudaError_t error = read_attributes(*wanted, &config); error != cudaSuccess) {
    return set_last_error(error);
  }
  return launch_function(kernel, config, arguments);
}
