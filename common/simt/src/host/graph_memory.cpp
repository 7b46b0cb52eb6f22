// SPDX-License-Identifier: MIT
// The memory that graphs allocate and free by nodes.
#include <algorithm>
#include <set>

#include "graph.h"
#include "run/device_lock.h"
#include "simt/error_state.h"
#include "simt/memory.h"

namespace simt::internal {
namespace {

bool is_live(const void* pointer) {
  const Allocation* const found = find_allocation(pointer);
  return found != nullptr && found->live && found->base == pointer;
}

// Where graphs' allocations begin, whether they are live or not.
std::set<const void*>& graph_memory() {
  static auto* const all = new std::set<const void*>;  // outlives all users
  return *all;
}

unsigned long long live_memory() {
  unsigned long long bytes = 0;
  for (const void* const pointer : graph_memory()) {
    if (is_live(pointer)) bytes += find_allocation(pointer)->size_bytes;
  }
  return bytes;
}

unsigned long long& most_memory() {
  static unsigned long long bytes = 0;
  return bytes;
}

}  // namespace

cudaError_t take(const cudaMemAllocNodeParams& memory) {
  if (is_live(memory.dptr)) return cudaErrorInvalidValue;  // of an earlier launch
  graph_memory().insert(memory.dptr);
  declare_allocation(memory.dptr, memory.bytesize, "a graph's allocation", false,
                     Allocation::Kind::kDevice);
  most_memory() = std::max(most_memory(), live_memory());
  return cudaSuccess;
}

cudaError_t give_back(const cudaMemFreeNodeParams& memory) {
  if (!is_live(memory.dptr)) return cudaErrorInvalidValue;
  retire_allocation(memory.dptr);
  return cudaSuccess;
}

void free_left(const CUgraph_st& graph) {
  for (const auto& node : graph.nodes) {
    const auto* const memory = std::get_if<cudaMemAllocNodeParams>(&node->work);
    if (memory != nullptr && is_live(memory->dptr)) retire_allocation(memory->dptr);
  }
}

}  // namespace simt::internal

namespace {

using simt::set_last_error;
using simt::internal::live_memory;
using simt::internal::most_memory;

}  // namespace

// What is reserved is what is used: graphs keep no memory that they have freed.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  const simt::internal::DeviceLock lock;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  if (value == nullptr || attribute > cudaGraphMemAttrReservedMemHigh) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  *static_cast<unsigned long long*>(value) = is_high ? most_memory() : live_memory();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  const simt::internal::DeviceLock lock;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  const bool fine = value != nullptr && is_high && *static_cast<unsigned long long*>(value) == 0;
  if (fine) most_memory() = live_memory();
  return set_last_error(fine ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
