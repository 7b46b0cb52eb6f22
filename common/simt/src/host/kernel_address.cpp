// SPDX-License-Identifier: MIT
#include "simt/kernel_address.h"

#include <map>

#include "run/device_lock.h"
#include "simt/closure.h"
#include "simt/error_state.h"

namespace simt {
namespace {

std::map<const void*, KernelEntry>& kernels() {
  static auto* const all = new std::map<const void*, KernelEntry>;  // outlives all users
  return *all;
}

}  // namespace

void* register_kernel(const void* kernel, const KernelEntry& entry) {
  const internal::DeviceLock lock;
  kernels().insert_or_assign(kernel, entry);
  return const_cast<void*>(kernel);
}

const KernelEntry* find_kernel(const void* kernel) {
  const auto found = kernels().find(kernel);
  return found == kernels().end() ? nullptr : &found->second;
}

cudaError_t launch_address(const void* kernel, const LaunchConfig& config, void** arguments) {
  const KernelEntry* const entry = find_kernel(kernel);
  if (entry == nullptr) return set_last_error(cudaErrorInvalidDeviceFunction);
  const detail::Closure closure = entry->bind(kernel, arguments);
  const cudaError_t error = detail::run_grid(entry->site, config, closure);
  detail::drop(closure);
  return error;
}

}  // namespace simt
